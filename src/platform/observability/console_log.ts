import type { Writable } from 'node:stream';
import pino from 'pino';
import type { LogLevel } from '../config/values.ts';
import { createLogger, type Logger } from './log.ts';

/**
 * Creates the logger of a long-running process: lines for people where the standard output is a terminal, else JSON, as programs
 * that collect logs read it.
 */
export async function createConsoleLogger(level: LogLevel): Promise<Logger> {
  return process.stdout.isTTY ? createPrettyLogger(level, process.stdout) : createBufferedLogger(level);
}

/** Milliseconds after which lines are written at the latest, and bytes from which they are. */
const FLUSH_INTERVAL_MS = 250;
const BUFFER = 8 * 1024;

/** Writes many lines at once, as a write costs a busy server more than the line itself; errors, and the end of the process, wait for none. */
function createBufferedLogger(level: LogLevel): Logger {
  const output = pino.destination({ dest: 1, sync: false, minLength: BUFFER, periodicFlush: FLUSH_INTERVAL_MS });
  return createLogger(level, {
    write(line) {
      output.write(line);
      if (/^\{"level":"(?:error|fatal)"/.test(line)) output.flushSync();
    },
  });
}

/** Creates a logger that writes lines for people: time, level, what happened, then the fields. */
export async function createPrettyLogger(level: LogLevel, to: Writable): Promise<Logger> {
  const { default: pretty } = await import('pino-pretty');
  return createLogger(level, pretty({ destination: to, hideObject: true, translateTime: TIME, messageFormat: lineOf }));
}

/** Of the machine: who reads this sits before it. */
const TIME = 'SYS:HH:MM:ss';

function lineOf({ level: _level, time: _time, msg, err, ...fields }: Record<string, unknown>): string {
  const line = msg === 'request' ? requestLine(fields) : [printed(msg), ...pairs(fields)].join(' ');
  const { stack } = (err ?? {}) as { stack?: unknown };
  return withoutControls(stack === undefined ? line : `${line}\n${printed(stack)}`);
}

/** `GET /api/v4/projects 200 in 12 ms`. */
function requestLine({ method, path, status, ms, user, aborted }: Record<string, unknown>): string {
  const more = pairs({ user, aborted });
  return [printed(method), printed(path), printed(status), `in ${printed(ms)} ms`, ...more].join(' ');
}

function pairs(fields: Record<string, unknown>): string[] {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${printed(value)}`);
}

function printed(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** What clients send, such as names of branches, must not steer the terminal. */
function withoutControls(text: string): string {
  return text.replaceAll(/(?![\n\t])\p{Cc}/gu, '�');
}
