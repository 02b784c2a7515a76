import type { Context } from '#src/access/permissions/actor.ts';
import type { Part } from '#src/domain/integrations/chat/message.ts';
import { link, quoted } from '#src/domain/integrations/chat/parts.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createIssue } from '#src/domain/tracking/issues/create.ts';
import { findIssue, findIssueById } from '#src/domain/tracking/issues/find.ts';
import { listIssuesOf } from '#src/domain/tracking/issues/list.ts';
import { updateIssue } from '#src/domain/tracking/issues/update.ts';
import { select } from '#src/platform/records/selection.ts';

/** What a command answers: lines for everybody in the channel, or for the sender alone. */
export interface Reply {
  isForAll: boolean;
  lines: readonly (readonly Part[])[];
}

/** Where a command runs. */
interface Place {
  project: ProjectRow;
  baseUrl: string;
}

/** What can be asked for. */
export const HELP: readonly (readonly Part[])[] = [
  ['issue show NUMBER: show an issue'],
  ['issue new TITLE: create an issue; further lines are its description'],
  ['issue search WORDS: find issues'],
  ['issue close NUMBER: close an issue'],
  ['help: show these commands'],
];

/** How many issues a search shows. */
const MAX_FOUND = 5;

const ISSUE = select('Issue', { iid: true, title: true, state: true, description: true, confidential: true });
type Issue = typeof ISSUE.row;

/** Runs a command with the rights of the actor. Throws as what it does. */
export async function execute(context: Context, place: Place, text: string): Promise<Reply> {
  const [, what = '', rest = ''] = /^\s*issue\s+(show|new|search|close)\b\s*([\s\S]*)$/i.exec(text) ?? [];
  switch (what.toLowerCase()) {
    case 'show':
      return show(context, place, rest);
    case 'new':
      return create(context, place, rest);
    case 'search':
      return search(context, place, rest);
    case 'close':
      return close(context, place, rest);
    default:
      return { isForAll: false, lines: HELP };
  }
}

const WITHOUT_NUMBER: Reply = { isForAll: false, lines: [['Which issue? Give its number.']] };

async function show(context: Context, place: Place, rest: string): Promise<Reply> {
  const iid = numberIn(rest);
  if (iid === null) return WITHOUT_NUMBER;
  const issue = await findIssue(context, place.project, iid, ISSUE);
  return answer(issue, [[linkTo(issue, place), ` is ${wordFor(issue)}`], ...quoted(issue.description)]);
}

async function create(context: Context, place: Place, rest: string): Promise<Reply> {
  const [title = '', ...lines] = rest.trim().split(/\r?\n/);
  if (title === '') return { isForAll: false, lines: [['An issue needs a title.']] };
  const { id } = await createIssue(context, {
    project: place.project.id,
    title,
    description: lines.join('\n').trim() || null,
  });
  const issue = await findIssueById(context, place.project, id, ISSUE);
  return answer(issue, [[`${context.actor?.username ?? ''} created `, linkTo(issue, place)]]);
}

async function close(context: Context, place: Place, rest: string): Promise<Reply> {
  const iid = numberIn(rest);
  if (iid === null) return WITHOUT_NUMBER;
  const { changed } = await updateIssue(context, place.project.id, iid, { stateEvent: 'close' });
  const issue = await findIssue(context, place.project, iid, ISSUE);
  const done = changed
    ? [`${context.actor?.username ?? ''} closed `, linkTo(issue, place)]
    : [linkTo(issue, place), ' is closed already'];
  return answer(issue, [done]);
}

async function search(context: Context, place: Place, rest: string): Promise<Reply> {
  const words = rest.trim();
  if (words === '') return { isForAll: false, lines: [['What do you look for?']] };
  const page = { limit: MAX_FOUND, offset: 0, withTotal: false };
  const order = { by: 'created_at', direction: 'desc' } as const;
  const [found] = await listIssuesOf(context, [{ project: place.project }], { search: words }, order, page, ISSUE);
  const nodes = found?.nodes ?? [];
  const lines = nodes.map((issue) => [linkTo(issue, place), ` is ${wordFor(issue)}`]);
  return { isForAll: false, lines: lines.length === 0 ? [['There are no such issues.']] : lines };
}

/** What not everybody sees is for the sender alone. */
function answer({ confidential }: Issue, lines: Reply['lines']): Reply {
  return { isForAll: !confidential, lines };
}

function linkTo({ iid, title }: Issue, { project, baseUrl }: Place): Part {
  return link(`#${iid} ${title}`, baseUrl + pagePath(project.fullPath, 'issues', iid));
}

function wordFor({ state }: Issue): string {
  return state === 'closed' ? 'closed' : 'open';
}

function numberIn(text: string): number | null {
  const [, digits] = /^\s*#?(\d{1,9})\s*$/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits);
}
