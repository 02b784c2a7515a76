import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { faultsOfBody, faultsOfRequest } from '../test/support/documented.ts';

/**
 * Makes rest/examples.json of what tests recorded in a directory (test/support/examples.ts): for each operation the answer that
 * tells most, with the body that was sent for it. Operations of which nothing was recorded keep the example that they have.
 *
 * Usage: node scripts/examples.ts DIRECTORY
 */
type Json = unknown;

interface Example {
  status: number;
  sent?: Json;
  body: Json;
}

interface Operation {
  operationId: string;
  requestBody?: { content?: Record<string, unknown> };
}

interface Recorded extends Example {
  operationId: string;
}

/** Characters that an example should not exceed. */
const LONG = 3_000;
/** Items that lists are cut to. */
const ITEMS = 2;
/** Characters that texts are cut to: hashes of commits and addresses of pictures fit. */
const MAX_TEXT_LENGTH = 160;

const file = path.resolve(import.meta.dirname, '../rest/examples.json');
const document = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../rest/openapi.json'), 'utf8'));
const paths: Record<string, Record<string, Operation>> = document.paths;
const operations = new Map(
  Object.entries(paths).flatMap(([at, methods]) =>
    Object.entries(methods).map(([method, { operationId, requestBody }]) => {
      const takesJson = requestBody?.content?.['application/json'] !== undefined;
      return [operationId, { path: at, method, takesJson }] as const;
    }),
  ),
);

const [, , directory = '.'] = process.argv;
const best = new Map<string, { example: Example; rank: number }>();
for (const recorded of globSync('*.jsonl', { cwd: directory }).sort()) {
  for (const line of readFileSync(path.join(directory, recorded), 'utf8').split('\n')) {
    if (line === '') continue;
    const { operationId, status, sent, body }: Recorded = JSON.parse(line);
    const operation = operations.get(operationId);
    if (!operation) continue;
    const tidied = tidy(sent);
    // Some tests send what is odd, and is taken nevertheless.
    const isSent =
      operation.takesJson &&
      typeof sent === 'object' &&
      sent !== null &&
      faultsOfRequest(operation.path, operation.method, tidied).length === 0;
    const example = { status, ...(isSent && { sent: tidied }), body: tidy(body) };
    if (faultsOfBody(operation.path, operation.method, status, example.body).length > 0) continue;
    const rank = rankOf(example);
    if (rank > (best.get(operationId)?.rank ?? Number.NEGATIVE_INFINITY)) best.set(operationId, { example, rank });
  }
}

const known: Record<string, Example> = JSON.parse(readFileSync(file, 'utf8'));
const all = { ...known, ...Object.fromEntries([...best].map(([id, { example }]) => [id, example])) };
const kept = Object.entries(all)
  .filter(([id]) => operations.has(id))
  .sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(file, `${JSON.stringify(Object.fromEntries(kept), null, 1)}\n`);
console.log(`${kept.length} examples, ${best.size} of them recorded now`);

/** How much an example tells: values that are there, less what makes it long or odd to read. */
function rankOf(example: Example): number {
  const text = JSON.stringify(example);
  const values = text.match(/":(?!null|\[\]|\{\}|"")/g)?.length ?? 0;
  const isEmpty = JSON.stringify(example.body).length < 5;
  const odd = text.match(/[^\x20-\x7e…’]|\\u|<script|%2F|(.)\1{9}/g)?.length ?? 0;
  return values - Math.max(0, text.length - LONG) / 20 - odd * 20 - (isEmpty ? 100 : 0) + ('sent' in example ? 3 : 0);
}

/** A value without what is of the machine or secret, and with its lists and texts cut. */
function tidy(value: Json, key = ''): Json {
  if (Array.isArray(value)) return value.slice(0, ITEMS).map((item) => tidy(item, key));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, tidy(inner, name)]));
  if (typeof value !== 'string') return value;
  const text = value
    .replaceAll(/\b(?:http|ws)(s?):\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?/g, 'https://gantry.example.com')
    .replaceAll(/\bssh:\/\/git@(?:localhost|127\.0\.0\.1)(?::\d+)?/g, 'ssh://git@gantry.example.com')
    .replaceAll(/\b(?:localhost|127\.0\.0\.1)(?::\d+)?/g, 'gantry.example.com')
    .replaceAll(/\b(gl[a-z]+-|gantry_[a-z]+_)[\w.-]{16,}/g, '$1XXXXXXXXXXXXXXXXXXXX');
  if (isSecret(key, text)) return 'XXXXXXXXXXXXXXXXXXXX';
  return text.length > MAX_TEXT_LENGTH && !/^[\w-]+:\/\//.test(text) ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}

function isSecret(key: string, text: string): boolean {
  return /token|secret|password|^key$|code$/i.test(key) && /^[\w+/=.-]{20,}$/.test(text) && !text.startsWith('ssh-');
}
