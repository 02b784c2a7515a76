import type { IncomingMessage } from 'node:http';
import { BadBody, type BodyLimits, CONTENT_BODY, tooLarge } from '#rest/engine/body_limits.ts';
import { parseFormBody } from '#rest/engine/form.ts';
import { parseLargeJson } from '#rest/engine/large_json.ts';
import { multipart } from '#rest/engine/multipart.ts';
import { parseJson, UnusableJson } from '#src/base/json.ts';
import { isBrokenOff } from '#src/platform/broken_off.ts';
import { readAtMost } from '#src/platform/limits/read_at_most.ts';
import { FileTooLarge, SpooledFile } from '#src/platform/limits/spooled_file.ts';

/**
 * The parameters of the body, in any format and for any method: JSON, urlencoded, or the fields of multipart, where one may be a
 * SpooledFile, which the caller disposes of. Everything is counted while it is read, and before it is parsed. Throws BadBody.
 */
export async function bodyParameters(request: IncomingMessage, limits: BodyLimits): Promise<Record<string, unknown>> {
  const { headers } = request;
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return {};
  const type = typeOf(request);
  if (type === 'multipart/form-data') return multipart(request, limits);
  return parametersOf(type, await readAll(request, limits.bytes), limits);
}

/** The parameters of a body in memory. Without a content type it counts as urlencoded. */
function parametersOf(type: string, body: Buffer, { lists, text }: BodyLimits): Record<string, unknown> {
  if (isJson(type)) return json(body, text);
  return type === '' || type === 'application/x-www-form-urlencoded' ? parseFormBody(body, lists) : {};
}

function typeOf({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json');
}

/** Spools the body of a request that may be too large for memory to the disk. Throws BadBody, and then leaves no file behind. */
export async function spoolBody(request: IncomingMessage, limit: number): Promise<SpooledFile> {
  const refusal = tooLarge(`${limit} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw refusal;
  return SpooledFile.from('', request, limit).catch((error) => {
    if (error instanceof FileTooLarge) throw refusal;
    return endedEarly(error);
  });
}

/** Throws the error for a client that has disconnected; rethrows other errors. */
function endedEarly(error: unknown): never {
  if (!isBrokenOff(error)) throw error;
  throw new BadBody(400, 'The body ended before all of it had come');
}

/** Like bodyParameters, for a body on the disk. */
export async function spooledParameters(
  request: IncomingMessage,
  body: SpooledFile,
  limits: BodyLimits,
): Promise<Record<string, unknown>> {
  const type = typeOf(request);
  if (type === 'multipart/form-data') return multipart(request, limits, body.stream());
  if (body.size <= CONTENT_BODY) {
    const whole = await readAtMost(body.stream(), CONTENT_BODY, () => tooLarge(`${CONTENT_BODY} bytes`));
    return parametersOf(type, whole, limits);
  }
  if (isJson(type)) return parametersIn(await parseLargeJson(body.stream(), limits.bytes));
  // Such forms take long to parse, in one piece.
  throw tooLarge(`${CONTENT_BODY} bytes that are neither JSON nor multipart`);
}

async function readAll(request: IncomingMessage, limit: number): Promise<Buffer> {
  const refusal = () => tooLarge(`${limit} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw refusal();
  return readAtMost(request, limit, refusal).catch(endedEarly);
}

function json(body: Buffer, text: string | undefined): Record<string, unknown> {
  if (isBlank(body)) return {};
  let value: unknown;
  try {
    value = parseJson(body);
  } catch (error) {
    if (error instanceof UnusableJson) throw new BadBody(error.tooLarge ? 413 : 400, error.message);
    throw error;
  }
  if (text !== undefined && typeof value === 'string') return { [text]: value };
  return parametersIn(value);
}

function parametersIn(value: unknown): Record<string, unknown> {
  // Go clients send this without parameters.
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new BadBody(400, 'The body must be a JSON object');
  }
  return value as Record<string, unknown>;
}

function isBlank(body: Buffer): boolean {
  return body.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}
