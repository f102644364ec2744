"use strict";
// The board is drawn by the server; when it says that something has changed, fetch that part anew.
const board = document.getElementById("board"), live = document.getElementById("live");
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

function listen() {
  const events = new EventSource("/events");
  events.addEventListener("open", () => { live.hidden = true; });
  events.addEventListener("changed", refresh);
  events.addEventListener("error", () => {
    live.hidden = false;
    if (events.readyState !== EventSource.CLOSED) return;  // the browser comes again by itself
    refresh();
    setTimeout(listen, 5000);  // it was refused, as one of too many
  });
}

listen();
