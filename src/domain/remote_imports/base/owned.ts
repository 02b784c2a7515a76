import { SourceInvalid } from '#src/domain/remote_imports/base/source.ts';
import { type Given, listOf } from '#src/domain/remote_imports/base/values.ts';
import type { RemoteClient } from '#src/platform/outbound/remote_client.ts';

/** Projects that are taken of one owner, and entries of a page at most. */
export const MAX_OWNED = 2_000;
const PAGE_SIZE = 50;

/**
 * All entries of a list of projects, by counted pages. Throws what RemoteClient throws, and SourceInvalid, also for more than
 * `MAX_OWNED`.
 *
 * @param size the parameter for the number of entries of a page
 */
export async function allEntries(client: RemoteClient, address: string, size: 'per_page' | 'limit'): Promise<Given[]> {
  const found = new Map<unknown, Given>();
  for (let page = 1; ; page++) {
    const url = new URL(address);
    url.searchParams.set(size, String(PAGE_SIZE));
    url.searchParams.set('page', String(page));
    const { body } = await client.json(url);
    const entries = listOf(body, 'projects');
    const before = found.size;
    for (const entry of entries) found.set(entry.id, entry);
    if (found.size > MAX_OWNED) throw new SourceInvalid(`The owner has more than ${MAX_OWNED} projects.`);
    // A server that does not count pages gives the same again.
    if (found.size === before) return [...found.values()];
  }
}
