import type { IncomingMessage } from 'node:http';
import { parseJson, UnusableJson } from '#src/base/json.ts';
import { readAtMost } from '#src/platform/limits/read_at_most.ts';

/** An operation of a request, before its document is looked at. */
export interface Asked {
  readonly query: string;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A request that is answered with a status and a message. */
export class RefusedRequest extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Bytes of a body: files that are committed are in variables. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Operations of one request. */
const MAX_BATCH = 10;

/** The operations of a request, and whether they came as a list. Throws RefusedRequest. */
export async function readOperations(
  request: IncomingMessage,
  query: URLSearchParams,
): Promise<{ asked: Asked[]; isBatch: boolean }> {
  if (request.method === 'GET') return { asked: [operationOf(Object.fromEntries(query))], isBatch: false };
  const sent = await bodyOf(request);
  if (!Array.isArray(sent)) return { asked: [operationOf(sent, query)], isBatch: false };
  if (sent.length > MAX_BATCH) throw new RefusedRequest(413, `A request may have ${MAX_BATCH} operations`);
  return { asked: sent.map((one) => operationOf(one)), isBatch: true };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const tooLarge = () => new RefusedRequest(413, `The request is larger than ${MAX_BODY_BYTES} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const body = await readAtMost(request, MAX_BODY_BYTES, tooLarge);
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/x-www-form-urlencoded')
    return Object.fromEntries(new URLSearchParams(body.toString('utf8')));
  if (type === 'application/graphql') return { query: body.toString('utf8') };
  if (body.length === 0) return {};
  return jsonOf(body);
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error;
    throw new RefusedRequest(error.tooLarge ? 413 : 400, error.message);
  }
}

/** @param address parameters of the URL, which the body goes before */
function operationOf(sent: unknown, address?: URLSearchParams): Asked {
  if (!isObject(sent)) throw new RefusedRequest(400, 'A request is an object with query, variables and operationName');
  const given = { ...Object.fromEntries(address ?? []), ...sent };
  const { query = '', operationName = null } = given;
  if (typeof query !== 'string') throw new RefusedRequest(400, 'The query must be a text');
  if (typeof operationName !== 'string' && operationName !== null) {
    throw new RefusedRequest(400, 'The operation name must be a text');
  }
  return { query, operationName: operationName === '' ? null : operationName, variables: variablesOf(given.variables) };
}

/** Variables are an object, or one as text; an empty text is none. */
function variablesOf(given: unknown): Readonly<Record<string, unknown>> {
  const value = typeof given === 'string' && given.trim() !== '' ? jsonOf(Buffer.from(given)) : given;
  if (value == null || value === '' || (typeof value === 'string' && value.trim() === '')) return {};
  if (!isObject(value)) throw new RefusedRequest(400, 'The variables must be an object');
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
