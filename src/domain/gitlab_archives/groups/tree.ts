import { readFile, stat } from 'node:fs/promises';
import { type Given, integer } from '#src/domain/gitlab_archives/relations/values.ts';
import { ArchiveInvalid, recordIn } from '#src/domain/project_archives/lines.ts';

/** Bytes of the list of all groups, and of what one of them is. */
const MAX_BYTES = 1024 * 1024;

/** A group of an archive. */
export interface ArchivedGroup {
  id: number;
  /** Null for the outermost one. */
  parentId: number | null;
  head: Given;
}

/**
 * The groups of an archive of GitLab, each behind the one that it is in. What is in no group of the archive, or in itself, is in the
 * outermost one, which is the first of the list. Throws ArchiveInvalid.
 *
 * @param all the file that lists their IDs, one a line
 * @param most how many there may be
 * @param headFile the file that says what a group is
 */
export async function groupsIn(all: string, most: number, headFile: (id: number) => string): Promise<ArchivedGroup[]> {
  const ids = await idsIn(all, most);
  const heads = new Map<number, Given>();
  for (const id of ids) heads.set(id, await headOf(headFile(id), `tree/groups/${id}.json`));
  const [root] = ids;
  if (root === undefined) throw new ArchiveInvalid('The archive has no groups.');
  const below = new Map<number, number[]>();
  for (const id of ids.slice(1)) {
    const parent = integer(heads.get(id)?.parent_id) ?? root;
    const known = heads.has(parent) && parent !== id ? parent : root;
    below.set(known, [...(below.get(known) ?? []), id]);
  }
  const ordered: ArchivedGroup[] = [];
  const left = new Set(ids);
  const take = (first: number, above: number | null) => {
    const waiting: [number, number | null][] = [[first, above]];
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [id, parentId] = next;
      if (!left.delete(id)) continue;
      ordered.push({ id, parentId, head: heads.get(id) ?? {} });
      for (const child of below.get(id) ?? []) waiting.push([child, id]);
    }
  };
  take(root, null);
  // Groups that are in each other.
  for (const id of left) take(id, root);
  return ordered;
}

async function idsIn(file: string, most: number): Promise<number[]> {
  const text = (await content(file, 'tree/groups/_all.ndjson')).toString('latin1');
  const ids = text
    .split('\n')
    .flatMap((line) => (/^\s*"?([1-9]\d{0,8})"?\s*$/.test(line) ? [Number.parseInt(line.replace('"', ''), 10)] : []));
  if (ids.length > most) throw new ArchiveInvalid(`The archive has more than ${most} groups.`);
  return [...new Set(ids)];
}

async function headOf(file: string, name: string): Promise<Given> {
  return recordIn(await content(file, name), name);
}

async function content(file: string, name: string): Promise<Buffer> {
  const found = await stat(file).catch(() => null);
  if (!found) throw new ArchiveInvalid(`The archive has no ${name}.`);
  if (found.size > MAX_BYTES) throw new ArchiveInvalid(`${name} has more than ${MAX_BYTES} bytes.`);
  return readFile(file);
}
