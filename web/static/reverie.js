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

document.addEventListener("DOMContentLoaded", () => {
  useLink();
  // A page about something that is under way looks again after some seconds.
  const running = document.querySelector("[data-refresh]");
  if (running) {
    setTimeout(() => location.reload(), 1000 * Number(running.dataset.refresh));
  }
});
