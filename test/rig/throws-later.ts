// Preloaded: a fault of the program, as soon as it listens to such.
// real time: of another process, whose steps this one does not see
const timer = setInterval(() => {
  if (process.listenerCount("uncaughtException") === 0) return;
  clearInterval(timer);
  throw new Error("a secret of the source");
}, 5);
