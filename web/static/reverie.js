// The little that pages do by themselves. Everything works without it, except links for signing in.
"use strict";

// "/" goes to the search field, Escape leaves it.
document.addEventListener("keydown", (event) => {
  const field = document.getElementById("find");
  const typing = event.target.closest("input, textarea, select");
  if (event.key === "/" && field && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    field.focus();
    field.select();
  } else if (event.key === "Escape" && event.target === field) {
    field.blur();
  }
});

// Forms that cannot simply be repeated ask first.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !window.confirm(question)) {
    event.preventDefault();
  }
});

// A one-time link has its token behind the #, which is never sent by itself.
const useLink = () => {
  const form = document.getElementById("link-form");
  if (form && location.hash.length > 1) {
    document.getElementById("link").value = location.hash.slice(1);
    history.replaceState(null, "", location.pathname);
    form.submit();
  }
};
window.addEventListener("hashchange", useLink);

// A page that follows what changes asks for itself again after each change, and shows the new content; so nothing is shown twice or left
// out, whatever happened to the connection in between.
const follow = () => {
  const main = document.querySelector("main[data-live]");
  if (!main) {
    return;
  }
  let cursor = main.dataset.cursor;
  let waiting = 0;
  const show = async () => {
    const answer = await fetch(location.href).catch(() => null);
    if (!answer || !answer.ok || answer.redirected) {
      return;
    }
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
    if (fresh && !main.contains(document.activeElement)) {
      main.replaceChildren(...fresh.childNodes);
    } else if (fresh) {
      waiting = setTimeout(show, 2000); // not while somebody uses a control in it
    }
  };
  const open = () => {
    const events = new EventSource(`${main.dataset.live}?cursor=${encodeURIComponent(cursor)}`);
    events.addEventListener("change", (event) => {
      cursor = event.lastEventId;
      clearTimeout(waiting);
      waiting = setTimeout(show, 300);
    });
    events.addEventListener("error", () => {
      if (events.readyState === EventSource.CLOSED) {
        setTimeout(open, 5000);
      }
    });
  };
  open();
};

document.addEventListener("DOMContentLoaded", () => {
  useLink();
  follow();
  // A page about something that is under way looks again after some seconds.
  const running = document.querySelector("[data-refresh]");
  if (running) {
    setTimeout(() => location.reload(), 1000 * Number(running.dataset.refresh));
  }
});
