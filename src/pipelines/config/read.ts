import { TooLarge } from '#src/git/errors.ts';
import type { Oid } from '#src/git/model.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import { type Config, InvalidConfig } from '#src/pipelines/config/model.ts';
import { LARGEST_CONFIG, parseConfig } from '#src/pipelines/config/parse.ts';

/** Where a project says what its pipelines do. */
export const CONFIG_PATH = '.gitlab-ci.yml';

/** What the file of a commit says; null when it has none. Throws InvalidConfig. */
export async function readConfig(repository: RepositoryReader, commit: Oid): Promise<Config | null> {
  const entry = await repository.entry(commit, CONFIG_PATH);
  if (entry?.type !== 'blob') return null;
  try {
    const content = await repository.blob(entry.oid, LARGEST_CONFIG);
    return content && parseConfig(content.toString('utf8'));
  } catch (error) {
    if (error instanceof TooLarge) throw new InvalidConfig(`The file is larger than ${LARGEST_CONFIG} bytes`);
    throw error;
  }
}
