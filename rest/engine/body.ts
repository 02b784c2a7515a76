import type { IncomingMessage } from 'node:http';
import { BadBody, type BodyLimits, tooLarge } from '#rest/engine/body_limits.ts';
import { parseFormBody } from '#rest/engine/form.ts';
import { multipart } from '#rest/engine/multipart.ts';
import { parseJson, UnusableJson } from '#src/platform/json.ts';

/**
 * The parameters of the body, whatever its form and the verb: JSON, urlencoded, or the fields of multipart, where one may be
 * a SpooledFile, which the caller disposes of. All is counted while it is read, and before it is parsed. Throws BadBody.
 */
export async function bodyParameters(request: IncomingMessage, limits: BodyLimits): Promise<Record<string, unknown>> {
  const { headers } = request;
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return {};
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'multipart/form-data') return multipart(request, limits);
  const body = await readAll(request, limits.bytes);
  if (type === 'application/json' || type.endsWith('+json')) return json(body);
  return type === '' || type === 'application/x-www-form-urlencoded' ? parseFormBody(body) : {};
}

async function readAll(request: IncomingMessage, limit: number): Promise<Buffer> {
  const refusal = tooLarge(`${limit} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw refusal;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw refusal;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function json(body: Buffer): Record<string, unknown> {
  if (isBlank(body)) return {};
  let value: unknown;
  try {
    value = parseJson(body);
  } catch (error) {
    if (error instanceof UnusableJson) throw new BadBody(error.tooLarge ? 413 : 400, error.message);
    throw error;
  }
  // As a Go client sends where it has no parameters.
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new BadBody(400, 'The body must be a JSON object');
  }
  return value as Record<string, unknown>;
}

function isBlank(body: Buffer): boolean {
  return body.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}
