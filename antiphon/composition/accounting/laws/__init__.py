"""Laws of privacy losses: moments on a line of the complex plane, with error bounds."""
