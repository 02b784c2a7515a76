import { mkdir } from 'node:fs/promises';
import type { JobPayload } from '#src/entrances/runner/payload.ts';
import { type Command, type Ending, run } from '#src/entrances/runner/shell.ts';

/** How git is run. */
type Around = Pick<Command, 'environment' | 'timeout' | 'signal' | 'onOutput'>;

/**
 * Checks out the commit of a job into a directory. The credentials appear in no command line and no file: git reads them from its
 * environment.
 *
 * @param depth how many commits of the history; all when absent
 */
export async function checkOut(
  { git_info: { repo_url, ref, sha, ref_type, refspecs } }: JobPayload,
  directory: string,
  around: Around,
  depth: number | null,
): Promise<Ending> {
  const url = new URL(repo_url);
  if (!['http:', 'https:'].includes(url.protocol)) throw new Error('The address of the repository is not one of HTTP.');
  if (!/^[0-9a-f]{40}$/.test(sha)) throw new Error('The commit of the job has no valid name.');
  const secret = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  const environment = {
    ...around.environment,
    ...settings([
      [`http.${url.origin}/.extraHeader`, `Authorization: Basic ${Buffer.from(secret).toString('base64')}`],
      // The credentials are for this server only.
      ['http.followRedirects', 'false'],
    ]),
    GIT_TERMINAL_PROMPT: '0',
  };
  const source = ref_type === 'tag' ? `refs/tags/${ref}` : `refs/heads/${ref}`;
  const target = ref_type === 'tag' ? source : `refs/remotes/origin/${ref}`;
  const wanted = refspecs?.length ? refspecs : [`+${source}:${target}`];
  if (!wanted.every((refspec) => /^\+?[^\s+-]\S*$/.test(refspec))) throw new Error('What is to be fetched is invalid.');
  await mkdir(directory, { recursive: true });
  const commands = [
    ['init', '--quiet'],
    ['remote', 'add', 'origin', url.href],
    ['fetch', '--quiet', ...(depth === null ? [] : [`--depth=${depth}`]), 'origin', ...wanted],
    ['-c', 'advice.detachedHead=false', 'checkout', '--quiet', '--force', '--detach', sha],
  ];
  for (const args of commands) {
    const ending = await run({ program: 'git', args, directory, ...around, environment });
    if (ending.kind !== 'exit' || ending.code !== 0) return ending;
  }
  return { kind: 'exit', code: 0 };
}

/** Git settings for its environment, which other processes cannot see. */
function settings(pairs: readonly [string, string][]): Record<string, string> {
  const entries = pairs.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { ...Object.fromEntries(entries), GIT_CONFIG_COUNT: String(pairs.length) };
}
