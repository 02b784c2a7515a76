import type { Told } from '#src/domain/integrations/base/kind.ts';
import type { Message, Part } from '#src/domain/integrations/chat/message.ts';
import { actorOf, link, pageUrl, projectLink, shortened, TITLE_LENGTH } from '#src/domain/integrations/chat/parts.ts';
import { pagePath, refPath } from '#src/domain/namespaces/address.ts';

/** How many jobs that failed are named. */
const MAX_JOBS = 10;

const ENDED: Record<string, { says: string; tone: Message['tone'] }> = {
  success: { says: 'passed', tone: 'good' },
  failed: { says: 'failed', tone: 'bad' },
  canceled: { says: 'was canceled', tone: 'neutral' },
};

/** A pipeline that has passed or failed; other states are not announced. */
export function messageOfPipeline({ payload }: Told): Message | null {
  const { id = 0, ref = '', tag = false, status = '', duration } = payload.object_attributes ?? {};
  const end = ENDED[status];
  if (end === undefined || status === 'canceled') return null;
  const { path_with_namespace: place } = payload.project;
  const pipeline = link(`#${id}`, pageUrl(payload, pagePath(place, 'pipelines', id)));
  const branch = link(ref, pageUrl(payload, refPath(place, tag ? 'tags' : 'tree', ref)));
  const time = duration == null ? '' : ` after ${inWords(duration)}`;
  return {
    title: [
      'Pipeline ',
      pipeline,
      ` of ${tag ? 'tag' : 'branch'} `,
      branch,
      ` by ${actorOf(payload)} ${end.says}${time} in `,
      projectLink(payload),
    ],
    lines: failures(payload.builds ?? []),
    tone: end.tone,
  };
}

/** The jobs that let the pipeline fail. */
function failures(builds: NonNullable<Told['payload']['builds']>): Part[][] {
  const failed = builds.filter(({ status, allow_failure }) => status === 'failed' && !allow_failure);
  const names = failed.slice(0, MAX_JOBS).map(({ name, stage }) => `${name} (${stage})`);
  if (names.length === 0) return [];
  const more = failed.length - names.length;
  const all = more > 0 ? [...names, `${more} more`] : names;
  return [[`Failed ${failed.length === 1 ? 'job' : 'jobs'}: ${shortened(all.join(', '), 1_000)}`]];
}

const DEPLOYED: Record<string, { says: string; tone: Message['tone'] }> = {
  ...ENDED,
  running: { says: 'has started', tone: 'neutral' },
  success: { says: 'succeeded', tone: 'good' },
};

/** A deployment that has begun or ended. */
export function messageOfDeployment({ payload }: Told): Message | null {
  const { status = '', environment = '', deployable_url: job, commit_url: url = '', commit_title: title } = payload;
  const end = DEPLOYED[status];
  if (end === undefined) return null;
  const name = shortened(environment, TITLE_LENGTH);
  const deployment: Part = job ? link(`Deployment to ${name}`, job) : `Deployment to ${name}`;
  return {
    title: [deployment, ` by ${actorOf(payload)} ${end.says} in `, projectLink(payload)],
    lines: url === '' ? [] : [[link(payload.short_sha ?? '', url), title ? `: ${shortened(title, TITLE_LENGTH)}` : '']],
    tone: end.tone,
  };
}

/** A time such as `2 min 05 s`. */
function inWords(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), Math.round(seconds % 60)];
  return minutes === 0 ? `${rest} s` : `${minutes} min ${String(rest).padStart(2, '0')} s`;
}
