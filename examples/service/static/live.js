"use strict";
// The board is drawn by the server; when it says that something has changed, fetch that part anew.
const board = document.getElementById("board");
let under_way = false, again = false;

async function refresh() {
  if (under_way) { again = true; return; }
  under_way = true;
  do {
    again = false;
    try {
      const answer = await fetch("/board");
      if (answer.ok) board.innerHTML = await answer.text();
    } catch (error) { /* the next event tries again */ }
    await new Promise(done => setTimeout(done, 500));
  } while (again);
  under_way = false;
}

new EventSource("/events").addEventListener("changed", refresh);
