import { cpSync, rmSync } from 'node:fs';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { World } from './world.ts';

/** Gives a project a copy of a bare repository with the default branch `main`; the directory of the copy. */
export async function fillRepository(world: World, project: ProjectRow, source: string): Promise<string> {
  const directory = world.repositories.directory(project);
  await world.repositories.forget(project);
  rmSync(directory, { recursive: true, force: true });
  cpSync(source, directory, { recursive: true });
  await world.db.project.update({ where: { id: project.id }, data: { defaultBranch: 'main' } });
  return directory;
}

/** A part of an address. */
export const part = encodeURIComponent;
