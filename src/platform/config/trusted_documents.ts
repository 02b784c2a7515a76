import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * The GraphQL documents that alone are executed, by their hashes: from a JSON file as relay-compiler and graphql-codegen write
 * it (`{"hash": "query …"}`) or Apollo does (`{"operations": [{"id", "body"}]}`), or from the `.graphql` files of a directory,
 * each by the SHA-256 of its text.
 *
 * @throws Error that says what is wrong with it
 */
export function readTrustedDocuments(place: string): ReadonlyMap<string, string> {
  const stats = statSync(place, { throwIfNoEntry: false });
  if (!stats) throw new Error(`there is no file or directory ${place}`);
  const documents = stats.isDirectory() ? fromDirectory(place) : fromManifest(readFileSync(place, 'utf8'));
  if (documents.size === 0) throw new Error(`there are no documents in ${place}`);
  return documents;
}

function fromDirectory(directory: string): Map<string, string> {
  const names = readdirSync(directory).filter((name) => name.endsWith('.graphql'));
  return new Map(
    names.map((name) => {
      const text = readFileSync(path.join(directory, name), 'utf8');
      return [createHash('sha256').update(text).digest('hex'), text];
    }),
  );
}

function fromManifest(json: string): Map<string, string> {
  const manifest = parsed(json);
  const { operations } = manifest;
  const entries = Array.isArray(operations)
    ? operations.map(({ id, body }: Record<string, unknown>) => [id, body])
    : Object.entries(manifest);
  return new Map(
    entries.map(([hash, text]) => {
      if (typeof hash !== 'string' || typeof text !== 'string') throw new Error(NO_MANIFEST);
      return [hash.replace(/^sha256:/, ''), text];
    }),
  );
}

const NO_MANIFEST = 'is no JSON object of documents by their hashes';

function parsed(json: string): Record<string, unknown> {
  let manifest: unknown;
  try {
    manifest = JSON.parse(json);
  } catch {
    throw new Error(NO_MANIFEST);
  }
  if (typeof manifest !== 'object' || manifest === null || Array.isArray(manifest)) throw new Error(NO_MANIFEST);
  return manifest as Record<string, unknown>;
}
