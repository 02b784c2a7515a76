import { isNpmReason, isNpmTag } from '#src/domain/packages/npm.ts';
import { type Given, isGiven, objectOf } from '#src/domain/remote_imports/base/values.ts';
import type { RemoteClient } from '#src/platform/outbound/remote_client.ts';

/** What a source tells of an npm package. */
export interface NpmDocument {
  /** What `package.json` says, by version. */
  versions: ReadonlyMap<string, Given>;
  /** Versions by tag. */
  tags: ReadonlyMap<string, string>;
}

/** Documents that are kept, as versions of one package often follow each other. */
const MAX_KEPT = 4;
/** Tags of a package at most. */
const MAX_TAGS = 100;

/** Reads the documents of npm packages, each once for as long as it is needed. */
export class NpmDocuments {
  readonly #client: RemoteClient;
  readonly #kept = new Map<string, NpmDocument>();

  constructor(client: RemoteClient) {
    this.#client = client;
  }

  /** The document at an address. Throws what RemoteClient throws, and SourceInvalid. */
  async read(address: string): Promise<NpmDocument> {
    const known = this.#kept.get(address);
    if (known) return known;
    const { body } = await this.#client.json(new URL(address), { accept: 'application/json' });
    const given = objectOf(body, 'the document of an npm package');
    const versions = Object.entries(isGiven(given.versions) ? given.versions : {}).filter(
      (entry): entry is [string, Given] => isGiven(entry[1]),
    );
    const tags = Object.entries(isGiven(given['dist-tags']) ? given['dist-tags'] : {})
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string' && isNpmTag(entry[0]))
      .slice(0, MAX_TAGS);
    const document = { versions: new Map(versions), tags: new Map(tags) };
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(address, document);
    return document;
  }
}

/** Why a version is not to be used any more; null if it may be, or where it is no reason that can be kept. */
export function deprecationIn(manifest: Given | undefined): string | null {
  const reason = manifest?.deprecated;
  return typeof reason === 'string' && reason !== '' && isNpmReason(reason) ? reason : null;
}
