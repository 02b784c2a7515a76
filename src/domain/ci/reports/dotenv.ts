import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { BadRequest } from '#src/platform/errors.ts';
import type { IncomingFile } from '#src/platform/incoming_file.ts';

/** Bytes of the largest file, unpacked, and most variables in it. */
export const DOTENV_LIMITS = { bytes: 5 * 1024, variables: 20 };

/**
 * The variables in a dotenv report, `KEY=VALUE` on each line; the last of a key counts.
 *
 * @throws BadRequest if it is too large or has other lines
 */
export async function readDotenv(file: IncomingFile): Promise<Record<string, string>> {
  return parseDotenv(decode(await unpacked(file)));
}

async function unpacked(file: IncomingFile): Promise<Buffer> {
  // Such a small file gets hardly any larger when it is compressed.
  if (file.size > 2 * DOTENV_LIMITS.bytes) throw tooBig();
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.stream()) chunks.push(chunk);
  try {
    return await promisify(gunzip)(Buffer.concat(chunks), { maxOutputLength: DOTENV_LIMITS.bytes });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooBig()
      : new BadRequest('Invalid Format');
  }
}

function tooBig(): BadRequest {
  return new BadRequest(`Dotenv Artifact Too Big. Maximum Allowable Size: ${DOTENV_LIMITS.bytes}`);
}

function decode(bytes: Buffer): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new BadRequest('Invalid Format');
  }
}

/** Throws BadRequest. */
export function parseDotenv(text: string): Record<string, string> {
  const variables = new Map<string, string>();
  for (const line of text.replace(/\r?\n$/, '').split(/\r?\n/)) {
    if (text === '') break;
    const at = line.indexOf('=');
    const [key, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    if (at < 0 || !/^\w+$/.test(key) || value.includes('\0')) throw new BadRequest('Invalid Format');
    variables.set(key, value);
  }
  if (variables.size > DOTENV_LIMITS.variables) {
    throw new BadRequest(`Dotenv files cannot have more than ${DOTENV_LIMITS.variables} variables`);
  }
  return Object.fromEntries(variables);
}
