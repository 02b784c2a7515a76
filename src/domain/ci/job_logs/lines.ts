import type { Readable } from 'node:stream';
import type { Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { openTrace, textOf } from '#src/domain/ci/job_logs/read.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

type Reader = Pick<Context, 'db' | 'repositories' | 'actor' | 'clientAddress'>;

/** Consecutive lines of a job log. */
export interface LogLines {
  /** Number of the first line, from 1. */
  firstLine: number;
  /** Lines that the log has so far. */
  lineCount: number;
  /** The text of the lines with their line breaks; the end of a very long line is missing. */
  content: string;
}

/** A line of a job log in which a text was found. */
export interface LogMatch {
  line: number;
  /** Its beginning, without escape sequences. */
  text: string;
}

/** Lines and bytes of the longest part that is returned. */
export const MAX_LINES = 1_000;
const MAX_BYTES = 128 * 1024;

/** Lines that a search finds at most, bytes of each that are searched, and characters that are returned. */
const MAX_MATCHES = 100;
const SEARCHED_BYTES = 16 * 1024;
const SHOWN_CHARACTERS = 300;

const NEWLINE = 10;

/** How many logs are read through at a time. */
const passes = new CallerSemaphore({
  concurrency: 4,
  perCaller: 2,
  // One request may ask for the logs of many jobs: its cost bounds how many.
  waitingPerCaller: 100,
  waiting: 500,
  patience: 30_000,
});

/**
 * A part of a job log; invalid UTF-8 is replaced. The caller must be allowed to read the job.
 *
 * @param from number of the first line, from 1; negative for so many lines at the end, as far as they fit
 */
export async function readLogLines(context: Reader, jobId: number, from: number): Promise<LogLines> {
  return passes.run(callerOf(context.actor, context.clientAddress), async () => {
    const { size, part } = await openTrace(context, jobId);
    const { lineCount, start } = await countLines(part(0, size), Math.max(1, from));
    if (from > 0) {
      const bytes = start === null ? Buffer.alloc(0) : await bytesOf(part(start, Math.min(size, start + MAX_BYTES)));
      const isCut = start !== null && start + bytes.length < size;
      return { firstLine: from, lineCount, content: textOf(firstLines(bytes, isCut)) };
    }
    const bytes = await bytesOf(part(Math.max(0, size - MAX_BYTES), size));
    const tail = lastLines(bytes, size > MAX_BYTES, Math.min(-from, MAX_LINES));
    return { firstLine: Math.max(1, lineCount - linesIn(tail) + 1), lineCount, content: textOf(tail) };
  });
}

/** The lines in which a text occurs, in any case, the first hundred of them. The caller must be allowed to read the job. */
export async function searchLog(context: Reader, jobId: number, text: string): Promise<LogMatch[]> {
  const wanted = text.toLowerCase();
  if (wanted.trim() === '') return [];
  return passes.run(callerOf(context.actor, context.clientAddress), async () => {
    const { size, part } = await openTrace(context, jobId);
    const matches: LogMatch[] = [];
    let line = 0;
    for await (const bytes of eachLine(part(0, size))) {
      line += 1;
      const shown = textOf(bytes).replace(ESCAPES, '');
      const at = shown.toLowerCase().indexOf(wanted);
      if (at < 0) continue;
      const start = Math.max(0, at - SHOWN_CHARACTERS / 2);
      matches.push({ line, text: shown.slice(start, start + SHOWN_CHARACTERS).toWellFormed() });
      if (matches.length === MAX_MATCHES) break;
    }
    return matches;
  });
}

/** Escape sequences of terminals, the marks of sections, and control characters. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /section_(?:start|end):\d{1,20}:[\w.-]{1,200}(?:\[[^\]]{0,200}\])?|\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b[@-Z\\-_]|[\x00-\x08\x0b-\x1f\x7f]/g;

/** How many lines there are, and where the one of that number begins in bytes; null if it does not. */
async function countLines(stream: Readable, from: number): Promise<{ lineCount: number; start: number | null }> {
  let [newlines, offset, start, last] = [0, 0, from <= 1 ? 0 : null, NEWLINE];
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) {
      newlines += 1;
      if (newlines === from - 1) start = offset + at + 1;
    }
    offset += chunk.length;
    last = chunk.at(-1) ?? last;
  }
  const lineCount = newlines + (last === NEWLINE ? 0 : 1);
  return { lineCount, start: from > 1 && from > lineCount ? null : start };
}

/** The lines of a stream, of long ones the beginning. */
async function* eachLine(stream: Readable): AsyncGenerator<Buffer> {
  let kept: Buffer[] = [];
  let length = 0;
  const keep = (piece: Buffer) => {
    if (length < SEARCHED_BYTES) kept.push(piece.subarray(0, SEARCHED_BYTES - length));
    length += piece.length;
  };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, at));
      yield Buffer.concat(kept);
      [kept, length, from] = [[], 0, at + 1];
    }
    keep(chunk.subarray(from));
  }
  if (length > 0) yield Buffer.concat(kept);
}

/** The lines that fit; of a first line that does not, its beginning. */
function firstLines(bytes: Buffer, isCut: boolean): Buffer {
  let end = 0;
  for (let line = 0; line < MAX_LINES; line++) {
    const at = bytes.indexOf(NEWLINE, end);
    if (at < 0) return isCut && line > 0 ? bytes.subarray(0, end) : bytes;
    end = at + 1;
  }
  return bytes.subarray(0, end);
}

/** So many whole lines at the end; of a last line that does not fit, its end. */
function lastLines(bytes: Buffer, isCut: boolean, count: number): Buffer {
  const first = isCut ? bytes.indexOf(NEWLINE) + 1 : 0;
  const whole = first < bytes.length ? bytes.subarray(first) : bytes;
  let start = whole.length;
  for (let line = 0; line < count && start > 0; line++) {
    start = start < 2 ? 0 : whole.lastIndexOf(NEWLINE, start - 2) + 1;
  }
  return whole.subarray(start);
}

function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count + (bytes.length > 0 && bytes.at(-1) !== NEWLINE ? 1 : 0);
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
