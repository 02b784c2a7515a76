import { appendFileSync } from 'node:fs';
import path from 'node:path';
import type { Answer } from './http.ts';

/*
 * Answers that tests got and found to be as documented, for the examples of the reader of the REST API: with TEST_EXAMPLES, a
 * directory, each test process appends them to a file there, of which `scripts/examples.ts` makes rest/examples.json.
 */

const directory = process.env.TEST_EXAMPLES;

/** An answer of an operation, with the JSON that was sent. */
export interface RecordedExample {
  operationId: string;
  status: number;
  sent: unknown;
  body: unknown;
}

/** The longest answer that may be an example, in characters. */
const LONGEST = 12_000;

export function recordExample(operationId: string, { status, body, headers }: Answer, sent: unknown): void {
  if (directory === undefined || status >= 300) return;
  if (!headers['content-type']?.startsWith('application/json') || body === null) return;
  const line = JSON.stringify({ operationId, status, sent, body } satisfies RecordedExample);
  if (line.length > LONGEST) return;
  appendFileSync(path.join(directory, `${process.pid}.jsonl`), `${line}\n`);
}
