import { parseArgs } from 'node:util';

/** What a run of the bench measures, and for how long. */
export interface Options {
  issues: number;
  projects: number;
  /** Pairs of rounds: each runs both servers, one after the other. */
  rounds: number;
  /** Milliseconds of one round. */
  milliseconds: number;
  connections: number;
  parts: ReadonlySet<Part>;
  /** The names of the requests that are wanted of `requests`; all of them when nothing is said. */
  requests: readonly string[] | undefined;
  /** How many minutes of mixed traffic. */
  minutes: number;
  /** A bare repository to measure instead of the generated one. */
  repository: string | undefined;
  /** Prints where the CPU time of the server goes under the requests, the list of 20 when nothing is said; measures nothing. */
  profile: boolean;
  /** Which part of ten million issues `large` has, and of a million commits `monorepo`. */
  scale: number;
  /** Part of the names of the attacks to run. */
  attack: string | undefined;
}

/** What the bench consists of, and whether `--quick` has it too. */
const PARTS = {
  /** Requests against the comparator. */
  requests: true,
  /** GraphQL against PostGraphile. */
  postgraphile: true,
  /** Documents of today's clients against the same at /graphql. */
  compat: true,
  /** Memory of a server that nobody uses. */
  idle: true,
  /** Time of the start. */
  start: true,
  /** Lists of many records against those of few. */
  growth: false,
  /** What the rules of visibility cost. */
  visibility: true,
  /** The time of every list, on a large dataset. */
  lists: false,
  /** The time of every list on a server with ten million issues. */
  large: false,
  /** Weight, time and statements of the pages. */
  pages: false,
  /** Filtered lists of issues and merge requests, threads and searches. */
  collaboration: false,
  /** Mixed traffic over some time. */
  sustained: false,
  /** What has to do with git. */
  repository: false,
  /** A repository of a million commits, against git. */
  monorepo: false,
  /** Merge requests against git in a work tree. */
  merges: false,
  /** What attacks do to others. */
  attacks: false,
  /** A large object of Git LFS. */
  lfs: false,
  /** A large project that is moved in from another server. */
  imports: false,
  /** What clients of feature flags wait for. */
  flags: false,
  /** Files of static sites, beside the program nginx. */
  sites: false,
  /** The memory of idle subscribers. */
  subscribers: false,
  /** How long events take to webhooks, and what that does to others. */
  hooks: false,
} as const;

export type Part = keyof typeof PARTS;

/**
 * Reads the command line of the bench.
 *
 * @param requests the names of all requests, each of which can be asked for alone
 * @throws TypeError for an option that there is not
 */
export function readOptions(args: string[], requests: readonly string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      trial: { type: 'boolean', default: false },
      only: { type: 'string' },
      repository: { type: 'string' },
      'no-growth': { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      attack: { type: 'string' },
      minutes: { type: 'string', default: '10' },
      rounds: { type: 'string', default: '5' },
      scale: { type: 'string', default: '1' },
    },
  });
  const { quick, trial, profile, repository, attack } = values;
  const implied = repository === undefined ? (attack === undefined ? undefined : 'attacks') : 'repository';
  const only = (values.only ?? implied)?.split(',');
  const wanted = only?.filter((name) => requests.includes(name)) ?? [];
  const parts = only?.filter((name) => !wanted.includes(name)) ?? Object.keys(PARTS);
  if (!parts.every(isPart)) {
    throw new TypeError(`--only takes some of ${[...Object.keys(PARTS), ...requests].join(', ')}`);
  }
  const measured = parts.filter(
    (part) => only || ((!quick || PARTS[part]) && !(part === 'growth' && values['no-growth'])),
  );
  return {
    // A trial shows that the bench itself works.
    issues: trial ? 1_000 : quick ? 10_000 : 100_000,
    projects: 50,
    rounds: trial ? 1 : positive('rounds', values.rounds),
    milliseconds: trial ? 50 : quick ? 1_000 : 2_000,
    connections: 16,
    parts: new Set<Part>(wanted.length > 0 || profile ? [...(only ? measured : []), 'requests'] : measured),
    requests: wanted.length > 0 ? wanted : profile ? ['list20'] : undefined,
    minutes: positive('minutes', values.minutes),
    scale: positive('scale', values.scale),
    repository,
    profile,
    attack,
  };
}

function isPart(name: string): name is Part {
  return Object.hasOwn(PARTS, name);
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new TypeError(`--${name} takes a number above 0`);
  return value;
}
