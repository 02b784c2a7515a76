import type { Context } from '#src/access/permissions/actor.ts';
import { codeOwnersFile, isCodeOwnersPath, readCodeOwners } from '#src/domain/repository/code_owners/find.ts';
import { ownersOfPath } from '#src/domain/repository/code_owners/owned.ts';
import {
  type CodeOwners,
  type CodeOwnersError,
  MAX_BYTES,
  parseCodeOwners,
} from '#src/domain/repository/code_owners/parse.ts';
import { type ResolvedOwner, resolveOwners, rolesOf } from '#src/domain/repository/code_owners/resolve.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';

/** What the file of code owners of a commit says of one of its files. */
export interface FileOwners {
  section: string;
  /** The entry that applies. */
  pattern: string;
  /** How many approvals of it merge requests need that change the file; 0 in an optional section. */
  approvals: number;
  /** The file of code owners, and the line of the entry. */
  path: string;
  line: number;
  userIds: number[];
  groupIds: number[];
  /** Access levels whose members own it, too. */
  roles: number[];
}

/** A file of a commit. */
export interface OwnedFile {
  projectId: number;
  repository: RepositoryReader;
  commitOid: Oid;
  path: string;
  oid: Oid;
}

/**
 * Who owns files, by the file of code owners of the commit of each: in each section, in their order. One statement for the files of a project;
 * none where nothing is owned. The caller has checked that they are readable.
 */
export async function ownersOfFiles({ db }: Pick<Context, 'db'>, files: readonly OwnedFile[]): Promise<FileOwners[][]> {
  const read = await Promise.all(
    files.map(async ({ repository, commitOid, path, projectId }) => {
      const from = await codeOwnersFile(repository, commitOid);
      const owners = from && (await readCodeOwners(repository, from));
      const found = owners ? await ownersOfPath(owners, path) : [];
      return { projectId, from: from?.path ?? '', found, named: found.flatMap(({ entry }) => entry.owners) };
    }),
  );
  const known = await knownOwners(db, read);
  return read.map(({ projectId, from, found }) =>
    found.map(({ section, entry }) => {
      const people = entry.owners.flatMap((owner) => known.get(projectId)?.get(owner) ?? []);
      return {
        section: section.name,
        pattern: entry.text,
        approvals: section.approvals,
        path: from,
        line: entry.line,
        userIds: [...new Set(people.flatMap(({ userId }) => userId ?? []))],
        groupIds: [...new Set(people.flatMap(({ groupId }) => groupId ?? []))],
        roles: rolesOf(people),
      };
    }),
  );
}

/** What is wrong with files of code owners, in the order of lines, with owners who are nobody here; none of other files. */
export async function errorsOfFiles(
  { db }: Pick<Context, 'db'>,
  files: readonly OwnedFile[],
): Promise<CodeOwnersError[][]> {
  const read = await Promise.all(
    files.map(async ({ projectId, repository, path, oid }) => {
      const size = isCodeOwnersPath(path) ? await repository.blobSize(oid) : null;
      if (size === null) return { projectId, owners: null, named: [] };
      const content = size > MAX_BYTES ? null : await repository.blob(oid, MAX_BYTES);
      const owners = content ? parseCodeOwners(content.toString('utf8')) : TOO_LARGE;
      const entries = owners.sections.flatMap((section) => section.entries);
      return { projectId, owners, named: entries.flatMap((entry) => entry.owners) };
    }),
  );
  const known = await knownOwners(db, read);
  return read.map(({ projectId, owners }) =>
    owners ? withUnknown(owners, (owner) => known.get(projectId)?.has(owner) === true) : [],
  );
}

const TOO_LARGE: CodeOwners = { sections: [], errors: [{ line: 1, kind: 'file_too_large' }] };

/** Whom the owners that are named in projects are, by the projects. */
async function knownOwners(
  db: Context['db'],
  read: readonly { projectId: number; named: readonly string[] }[],
): Promise<Map<number, Map<string, ResolvedOwner>>> {
  const byProject = Map.groupBy(read, ({ projectId }) => projectId);
  const found = [...byProject].map(async ([projectId, files]) => {
    const resolved = await resolveOwners(
      db,
      projectId,
      files.flatMap(({ named }) => named),
    );
    return [projectId, resolved] as const;
  });
  return new Map(await Promise.all(found));
}

/** The errors, with each entry that names somebody unknown. */
function withUnknown({ sections, errors }: CodeOwners, isKnown: (owner: string) => boolean): CodeOwnersError[] {
  const told = new Set(errors.map(({ line }) => line));
  const unknown = sections
    .flatMap(({ entries }) => entries)
    .filter(({ owners, line }) => !told.has(line) && !owners.every(isKnown))
    .map(({ line }): CodeOwnersError => ({ line, kind: 'unknown_owner' }));
  return [...errors, ...unknown].sort((one, other) => one.line - other.line).slice(0, MAX_SHOWN);
}

/** Errors that are told of a file. */
const MAX_SHOWN = 100;
