import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { snakeCase } from '#src/base/text.ts';
import { KINDS } from '#src/domain/project_archives/kinds.ts';
import type { ArchiveLayout, ExportSource } from '#src/domain/project_archives/layout.ts';
import {
  AVATAR,
  FORMAT,
  PROJECT,
  REPOSITORY,
  SNIPPETS,
  treeFile,
  USERS,
  VERSION,
  WIKI,
} from '#src/domain/project_archives/place.ts';
import { recordLine, recordsOf, writeUsers } from '#src/domain/project_archives/records.ts';
import { archivedSettings, snippetsWithRepository } from '#src/domain/project_archives/source.ts';

/** Archives of Gantry (docs/project-archives.md). */
export const OWN_LAYOUT: ArchiveLayout = {
  repository: REPOSITORY,
  wiki: WIKI,
  bundlesHaveHead: false,
  avatar: () => AVATAR,
  lfsObject: (oid) => `lfs/${oid}`,
  async writeRecords(source) {
    const { tx, project, description, directory } = source;
    await mkdir(path.join(directory, 'tree'));
    const ids = await writeTree(source);
    const { id, name, path: own } = project;
    const settings = Object.entries(await archivedSettings(tx, id)).map(([setting, value]) => [
      snakeCase(setting),
      value,
    ]);
    const head = { id, name, path: own, ...Object.fromEntries(settings), ...(description !== null && { description }) };
    await writeFile(path.join(directory, VERSION), `${JSON.stringify(FORMAT)}\n`);
    await writeFile(path.join(directory, PROJECT), `${JSON.stringify(head)}\n`);
    const snippets = await snippetsWithRepository(tx, ids);
    return {
      files: [VERSION, PROJECT, treeFile(USERS), ...KINDS.map((kind) => treeFile(kind.name))],
      snippets: snippets.map((one) => ({ ...one, bundle: `${SNIPPETS}/${one.id}.bundle` })),
    };
  },
};

/** Writes the records of all kinds that the actor may read, and the users whom they name. Returns the IDs of the snippets. */
async function writeTree({ tx, actor, project, directory, host, signal }: ExportSource): Promise<number[]> {
  const users = new Set<number>();
  const snippets: number[] = [];
  for (const kind of KINDS) {
    async function* lines(): AsyncGenerator<string> {
      for await (const row of recordsOf(tx, kind, project.id, actor)) {
        signal.throwIfAborted();
        if (kind.name === 'snippets') snippets.push(row.id as number);
        for (const column of Object.keys(kind.users)) if (row[column] != null) users.add(row[column] as number);
        yield recordLine(row);
      }
    }
    await pipeline(lines(), createWriteStream(path.join(directory, treeFile(kind.name))));
  }
  await writeUsers(tx, actor, [...users], path.join(directory, treeFile(USERS)), host);
  return snippets;
}
