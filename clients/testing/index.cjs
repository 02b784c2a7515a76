'use strict';
// Plain JavaScript, as the tests that load it may run on an older Node than Gantry, and CommonJS, which `require` of Jest takes as
// well as `import` does. The types are in index.d.cts.
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');
const { createInterface } = require('node:readline');
// Given here, as the launcher would start Node once more to give them.
const { heapOptions, heapSettings } = require('../../bin/heap.cjs');

const launcher = path.join(__dirname, '..', '..', 'bin', 'gantry.js');

/** How much of what the server logs is kept for the message of an error, in characters. */
const LOG_KEPT = 16_384;

/** Settings of a server that stays are not for one that tests use. */
const FOREIGN = /^(GANTRY_|DATABASE_|GRAPHQL_|SMTP_URL$|MAIL_FROM$|HOST$|PORT$|TRUST_PROXY$|LOG_LEVEL$|NODE_OPTIONS$)/;

exports.startGantry = async function startGantry({ seed = false, port = 0, env = {} } = {}) {
  const args = ['serve', '--ephemeral', '--control', '--port', String(port), ...(seed ? ['--seed'] : [])];
  const inherited = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name));
  const child = spawn(process.execPath, [...heapOptions, launcher, ...args], {
    env: { ...heapSettings, ...Object.fromEntries(inherited), LOG_LEVEL: 'warn', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const server = new Server(child);
  const { url, tokens } = await server.next();
  return { url, tokens, reset: () => server.reset(), stop: () => server.stop() };
};

/** A server process, which obeys lines on its standard input and answers with lines of JSON. */
class Server {
  #child;
  #ended;
  #log = '';
  /** Those who wait for an answer, in the order of their questions. */
  #waiting = [];
  #pending = 0;

  constructor(child) {
    this.#child = child;
    // Both come only when the process is gone and has released its output.
    this.#ended = Promise.race([once(child, 'close'), once(child, 'error').then(([error]) => Promise.reject(error))]);
    this.#ended.catch(() => undefined);
    // A command to a server that has ended is answered by its end.
    child.stdin.on('error', () => undefined);
    child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#log = (this.#log + text).slice(-LOG_KEPT);
    });
    createInterface({ input: child.stdout }).on('line', (line) => this.#hear(line));
    this.#ended.then(
      () => this.#fail(new Error(`The Gantry server has ended. ${this.#log.trim()}`.trim())),
      (error) => this.#fail(error),
    );
  }

  /** The next answer. Rejects when the server reports a failure, or ends. */
  next() {
    return this.#holding(new Promise((resolve, reject) => this.#waiting.push({ resolve, reject })));
  }

  async reset() {
    if (this.#child.stdin.destroyed || this.#child.stdin.writableEnded)
      throw new Error('The Gantry server was stopped.');
    this.#child.stdin.write('reset\n');
    await this.next();
  }

  async stop() {
    this.#child.stdin.end();
    await this.#holding(this.#ended);
  }

  #hear(line) {
    const message = JSON.parse(line);
    const waiting = this.#waiting.shift();
    if (message.event === 'failed') waiting?.reject(new Error(message.message));
    else waiting?.resolve(message);
  }

  #fail(error) {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** Keeps this process alive as long as something is awaited; a server that nobody stops does not: it ends with this process. */
  async #holding(answer) {
    this.#pending += 1;
    this.#hold(true);
    try {
      return await answer;
    } finally {
      this.#pending -= 1;
      if (this.#pending === 0) this.#hold(false);
    }
  }

  #hold(isHeld) {
    const { stdin, stdout, stderr } = this.#child;
    for (const part of [this.#child, stdin, stdout, stderr]) isHeld ? part.ref?.() : part.unref?.();
  }
}
