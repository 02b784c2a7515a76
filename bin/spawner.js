// Starts programs for the server, which is too large to be forked often: a fork copies the page tables of the whole process, and the
// event loop waits for it. Plain JavaScript without packages, so that it stays small. src/git/program/spawner.ts talks to it.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

/** Connections that the server has made and not used yet, by number; each becomes a standard stream of a program. */
const connections = new Map();
const programs = new Map();
let last = 0;

const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (connection) => {
  const number = ++last;
  connections.set(number, connection);
  connection.on('error', () => connections.delete(number));
  // Tells the server which connection this is; the program's own output follows.
  connection.write(String(number).padStart(16));
});
server.listen(process.argv[2], () => tell({ listening: true }));

process.on('message', (message) => {
  if (message.start !== undefined) start(message);
  else end(message);
});

// The server has ended, however: what it started ends with it.
process.on('disconnect', () => {
  for (const program of programs.values()) kill(program, 'SIGKILL', program.isGroup);
  process.exit();
});
// The server decides when this ends, also where a terminal interrupts all of its processes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

/** Tells the server, unless that has just ended. */
function tell(message) {
  process.send(message, () => undefined);
}

function start({ start: id, command, args, options, streams }) {
  const stdio = streams.map((number) => connections.get(number));
  for (const number of streams) connections.delete(number);
  let child;
  try {
    child = spawn(command, args, { ...options, stdio });
  } catch (error) {
    tell({ id, error: error.message });
    return;
  } finally {
    for (const connection of stdio) connection?.destroy();
  }
  programs.set(id, { child, isGroup: options.detached === true });
  child.once('error', (error) => {
    programs.delete(id);
    tell({ id, error: error.message });
  });
  if (child.pid === undefined) return;
  tell({ id, pid: child.pid });
  child.once('exit', (code, signal) => {
    programs.delete(id);
    tell({ id, code, signal });
  });
}

function end({ kill: id, signal, group }) {
  const program = programs.get(id);
  if (program !== undefined) kill(program, signal, group);
}

function kill({ child }, signal, group) {
  try {
    if (group) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // It has ended already.
  }
}
