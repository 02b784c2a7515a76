import type { Context } from '#src/access/permissions/actor.ts';
import { findOwner, type Owner, type OwnerRef } from '#src/domain/projects/owner.ts';
import { imageTypeOf } from '#src/domain/repository/file_text.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import { withinLimits } from '#src/domain/repository/refusals.ts';
import { authorizeWiki } from '#src/domain/repository/wiki_place.ts';
import { wikiTip } from '#src/domain/repository/wikis/repository.ts';
import type { Oid } from '#src/git/base/model.ts';
import { pathFault } from '#src/git/write/path.ts';
import { NotFound } from '#src/platform/errors.ts';

/** A file of a wiki, as it is today. */
export interface WikiFileRow {
  owner: Owner;
  path: string;
  oid: Oid;
  /** In bytes. */
  size: number;
}

/** A file by its path. Throws NotFound, Forbidden, Unauthenticated. */
export async function findWikiFile(context: Context, owner: Owner, path: string): Promise<WikiFileRow> {
  authorizeWiki(context.actor, 'read', owner);
  const tip = pathFault(path) === null ? await wikiTip(context, owner) : null;
  const entry = tip && (await tip.reader.entry(tip.commit, path));
  const size = tip && entry?.type === 'blob' ? await tip.reader.blobSize(entry.oid) : null;
  if (!entry || size === null) throw new NotFound('Wiki File');
  return { owner, path: entry.path, oid: entry.oid, size };
}

/** A file of a wiki that an operation found. */
export interface RawWikiFile extends OwnerRef {
  path: string;
}

/** The content of a file of a wiki; images have the type of their name, others are saved. Throws as findWikiFile. */
export async function readWikiFile(context: Context, { project, group, path }: RawWikiFile): Promise<RawContent> {
  const owner = await findOwner(context, { project, group });
  const { oid } = await findWikiFile(context, owner, path);
  const tip = await wikiTip(context, owner);
  const opened = tip && (await withinLimits(() => tip.reader.blobStream(oid)));
  if (!opened) throw new NotFound('Wiki File');
  const fileName = path.slice(path.lastIndexOf('/') + 1);
  const type = imageTypeOf(fileName) ?? 'application/octet-stream';
  return { ...opened, type, fileName, etag: `"${oid}"` };
}
