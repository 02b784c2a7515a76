import { parseArgs } from 'node:util';

/** What a run of the bench measures, and for how long. */
export interface Options {
  issues: number;
  projects: number;
  /** Pairs of rounds: each runs one server, then the other. */
  rounds: number;
  /** Milliseconds of one round. */
  milliseconds: number;
  connections: number;
  growth: boolean;
  /** Whether to measure what visibility rules cost. */
  visibility: boolean;
  /** Whether to measure every list of both APIs on a large dataset. */
  lists: boolean;
  /** Whether to measure mixed traffic over some time, and for how many minutes. */
  sustained: boolean;
  minutes: number;
  /** Whether to measure what has to do with repositories. */
  repositories: boolean;
  /** A bare repository to measure instead of the generated one. */
  repository: string | undefined;
  /** Only the measurement of this name. */
  only: string | undefined;
  /** Writes a CPU profile of the server under the measurement of `only`, the list of 20 when nothing is said. */
  profile: boolean;
  /** Whether to measure what attacks do to others. */
  attacks: boolean;
  /** Part of the names of the attacks to run. */
  attack: string | undefined;
}

/**
 * Reads the command line of the bench.
 *
 * @throws TypeError for an option that there is not
 */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      repository: { type: 'string' },
      'no-growth': { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      attack: { type: 'string' },
      minutes: { type: 'string', default: '10' },
    },
  });
  const { quick, profile, repository, attack } = values;
  const implied = repository === undefined ? (attack === undefined ? undefined : 'attacks') : 'repository';
  const only = values.only ?? implied;
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new TypeError('--minutes takes a number above 0');
  return {
    issues: quick ? 10_000 : 100_000,
    projects: 50,
    rounds: 3,
    milliseconds: quick ? 1_000 : 3_000,
    connections: 16,
    growth: only === 'growth' || !(quick || values['no-growth'] || only !== undefined || profile),
    visibility: only === 'visibility' || (only === undefined && !profile),
    sustained: only === 'sustained' || !(quick || only !== undefined || profile),
    minutes,
    lists: only === 'lists' || !(quick || only !== undefined || profile),
    repositories: only === 'repository' || !(quick || only !== undefined || profile),
    repository,
    only,
    profile,
    attacks: only === 'attacks' || !(quick || only !== undefined || profile),
    attack,
  };
}
