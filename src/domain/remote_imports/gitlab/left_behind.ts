import {
  LEFT_BEHIND,
  type LeftOut,
  type Page,
  type Phase,
  type PhaseContext,
} from '#src/domain/remote_imports/base/source.ts';
import { type Given, isGiven, textIn } from '#src/domain/remote_imports/base/values.ts';
import { ABSENT_STATUSES, readPage } from '#src/domain/remote_imports/gitlab/pages.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

interface LeftBehind {
  kind: string;
  path: string;
  /** What names one; null where it is said once that there are some. */
  name: ((given: Given) => string | null) | null;
  message: string;
}

/** What projects have that stays where it is. What the token may not see is not told of. */
const KINDS: readonly LeftBehind[] = [
  {
    kind: 'webhooks',
    path: '/hooks',
    name: ({ url }) => (typeof url === 'string' && URL.canParse(url) ? new URL(url).host : null),
    message: 'Set it up anew: its secret stays at the source.',
  },
  {
    kind: 'variables',
    path: '/variables',
    name: (given) => textIn(given, 'key', 255) || null,
    message: 'Set it anew: values of variables stay at the source.',
  },
  {
    kind: 'deploy_keys',
    path: '/deploy_keys',
    name: (given) => textIn(given, 'title', 255) || null,
    message: 'Add it anew, if it may still open the repository.',
  },
  {
    kind: 'triggers',
    path: '/triggers',
    name: (given) => textIn(given, 'description', 255) || null,
    message: 'Make a new one: its token stays at the source.',
  },
  {
    kind: 'pipeline_schedules',
    path: '/pipeline_schedules',
    name: (given) => textIn(given, 'description', 255) || null,
    message: 'Schedules do not come along.',
  },
  { kind: 'pipelines', path: '/pipelines', name: null, message: 'Pipelines and their jobs do not come along.' },
  {
    kind: 'environments',
    path: '/environments',
    name: null,
    message: 'Environments and deployments do not come along.',
  },
  { kind: 'packages', path: '/packages', name: null, message: 'Packages do not come along.' },
  {
    kind: 'container_repositories',
    path: '/registry/repositories',
    name: null,
    message: 'Images of containers do not come along.',
  },
];

/** How many of a kind are named. */
const MAX_NAMED = 100;

/** Names what stays at the source. */
export const leftBehindPhase: Phase = {
  name: LEFT_BEHIND,
  part: null,
  async page(context): Promise<Page> {
    const leftOut: LeftOut[] = [];
    for (const one of KINDS) leftOut.push(...(await namesOf(context, one)));
    return { records: [], leftOut, next: null, seen: KINDS.length };
  },
};

async function namesOf(context: PhaseContext, { kind, path, name, message }: LeftBehind): Promise<LeftOut[]> {
  try {
    const { entries } = await readPage(context, path, null, kind);
    if (name === null) return entries.length === 0 ? [] : [{ kind, name: null, message }];
    return entries.slice(0, MAX_NAMED).map((entry) => ({ kind, name: isGiven(entry) ? name(entry) : null, message }));
  } catch (error) {
    if (error instanceof RemoteRefused && ABSENT_STATUSES.includes(error.status)) return [];
    throw error;
  }
}
