import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import type { Context } from '#src/access/permissions/actor.ts';
import { readIndex, type SiteFile, type SiteIndex } from '#src/domain/sites/archive.ts';
import type { SitePart } from '#src/domain/sites/find.ts';
import { MAX_RULES_BYTES, parseRules } from '#src/domain/sites/redirects.ts';
import { placeOf, sitesStore } from '#src/domain/sites/store.ts';
import type { ByteRange } from '#src/domain/uploads/store.ts';
import { NotFound } from '#src/platform/errors.ts';

/** Bytes of the lists of files, and of the small files, that are kept in memory. */
const MAX_INDEX_BYTES = 32 * 1024 * 1024;
const MAX_CONTENT_BYTES = 32 * 1024 * 1024;
/** Bytes of the largest file that is kept in memory. */
const MAX_SMALL_FILE_BYTES = 64 * 1024;

/** The list of files of a deployment, and its rules. */
export interface SiteContent {
  files: SiteIndex;
  /** Bytes of the list as it is stored. */
  bytes: number;
  rules: ReturnType<typeof parseRules>;
}

/** Reads the files of sites, and keeps the lists of files and small files that were read last. */
export class SiteReader {
  readonly #stores: Pick<Context, 'uploads'>;
  readonly #contents = new LRUCache<string, Buffer>({
    maxSize: MAX_CONTENT_BYTES,
    sizeCalculation: ({ length }) => length + 500,
  });
  readonly #indexes: LRUCache<string, SiteContent, SitePart>;

  constructor(stores: Pick<Context, 'uploads'>) {
    this.#stores = stores;
    this.#indexes = new LRUCache<string, SiteContent, SitePart>({
      maxSize: MAX_INDEX_BYTES,
      sizeCalculation: ({ files, bytes }) => 1_000 + files.size * 150 + bytes,
      fetchMethod: (_secret, _known, { context }) => this.#load(context),
    });
  }

  /** The list of files of a deployment. Throws NotFound if the store has lost it, UploadsUnavailable. */
  async content(part: SitePart): Promise<SiteContent> {
    const found = await this.#indexes.fetch(part.secret, { context: part });
    if (!found) throw new NotFound('Pages deployment');
    return found;
  }

  /** A file, as bytes if it is small; the caller reads or destroys a stream. Throws NotFound, UploadsUnavailable. */
  async read(
    part: SitePart,
    file: SiteFile,
    range: ByteRange = { start: 0, end: file.size - 1 },
  ): Promise<Buffer | Readable> {
    if (file.size === 0) return Buffer.alloc(0);
    if (file.size > MAX_SMALL_FILE_BYTES) return this.#open(part, file.offset, range);
    const key = `${part.secret} ${file.offset}`;
    const known = this.#contents.get(key);
    const bytes = known ?? (await buffer(await this.#open(part, file.offset, { start: 0, end: file.size - 1 })));
    if (!known) this.#contents.set(key, bytes);
    return bytes.subarray(range.start, range.end + 1);
  }

  async #load(part: SitePart): Promise<SiteContent> {
    const files = readIndex(
      await buffer(await this.#open(part, -part.indexSize, { start: 0, end: part.indexSize - 1 })),
    );
    const bytes = part.indexSize;
    const rules = files.get('_redirects');
    if (!rules || rules.size === 0 || rules.size > MAX_RULES_BYTES) return { files, bytes, rules: [] };
    const text = await buffer(await this.#open(part, rules.offset, { start: 0, end: rules.size - 1 }));
    return { files, bytes, rules: parseRules(text.toString('utf8')) };
  }

  /** @param offset of a file behind the list, which is before */
  async #open(part: SitePart, offset: number, { start, end }: ByteRange): Promise<Readable> {
    const at = part.indexSize + offset;
    const content = await sitesStore(this.#stores).read(placeOf(part), { start: at + start, end: at + end });
    if (!content) throw new NotFound('Pages deployment');
    return content;
  }
}
