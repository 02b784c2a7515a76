import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { csvLine } from '#src/domain/tracking/issue_tables/cells.ts';
import type { IssueFilter } from '#src/domain/tracking/issues/filter.ts';
import { listIssuesOf } from '#src/domain/tracking/issues/list.ts';
import type { IssueOrder } from '#src/domain/tracking/issues/page.ts';
import { BadRequest } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** Issues of a statement, and of a table; characters of a table. */
const BATCH_SIZE = 500;
const MAX_ISSUES = 10_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;

const ISSUE = select('Issue', {
  iid: true,
  title: true,
  description: true,
  state: true,
  type: true,
  severity: true,
  confidential: true,
  discussionLocked: true,
  dueDate: true,
  timeEstimate: true,
  totalTimeSpent: true,
  createdAt: true,
  updatedAt: true,
  closedAt: true,
  labelTitles: true,
  author: { name: true, username: true },
  milestone: { title: true },
  assignees: { position: true, user: { name: true, username: true } },
});
type IssueRow = typeof ISSUE.row;

type Cell = string | number | boolean | null;

/** The columns, with what they have of an issue. */
const COLUMNS: readonly (readonly [name: string, cell: (issue: IssueRow, place: Place) => Cell])[] = [
  ['Issue ID', ({ iid }) => iid],
  ['URL', ({ iid }, { base, project }) => `${base}${pagePath(project.fullPath, 'issues', iid)}`],
  ['Title', ({ title }) => title],
  ['State', ({ state }) => (state === 'opened' ? 'Open' : 'Closed')],
  ['Description', ({ description }) => description],
  ['Author', ({ author }) => author.name],
  ['Author Username', ({ author }) => author.username],
  ['Assignee', (issue) => people(issue, 'name')],
  ['Assignee Username', (issue) => people(issue, 'username')],
  ['Confidential', ({ confidential }) => yes(confidential)],
  ['Locked', ({ discussionLocked }) => yes(discussionLocked)],
  ['Due Date', ({ dueDate }) => day(dueDate)],
  ['Created At (UTC)', ({ createdAt }) => moment(createdAt)],
  ['Updated At (UTC)', ({ updatedAt }) => moment(updatedAt)],
  ['Closed At (UTC)', ({ closedAt }) => moment(closedAt)],
  ['Milestone', ({ milestone }) => milestone?.title ?? null],
  ['Labels', ({ labelTitles }) => labelTitles.join(', ')],
  ['Time Estimate', ({ timeEstimate }) => timeEstimate],
  ['Time Spent', ({ totalTimeSpent }) => totalTimeSpent],
  ['Type', ({ type }) => type],
  ['Severity', ({ type, severity }) => (type === 'incident' ? severity : null)],
];

interface Place {
  /** URL of the server, without a trailing slash. */
  base: string;
  project: ProjectRow;
}

/**
 * The issues of a project that the actor can see as a table in CSV, with a line of names first; times are in seconds. For signed-in callers.
 * Throws Unauthenticated, RateLimited, BadRequest where there are more than 10,000, or all are too long.
 *
 * @param base URL of the server, without a trailing slash
 */
export function exportIssues(
  context: Context,
  project: ProjectRow,
  filter: IssueFilter,
  order: IssueOrder,
  base: string,
): Promise<string> {
  requireActor(context);
  return withEffort(context, () => tableOf(context, project, filter, order, base));
}

async function tableOf(
  context: Context,
  project: ProjectRow,
  filter: IssueFilter,
  order: IssueOrder,
  base: string,
): Promise<string> {
  const place = { base, project };
  const lines = [csvLine(COLUMNS.map(([name]) => name))];
  let characters = 0;
  for (let offset = 0; ; offset += BATCH_SIZE) {
    const request = { limit: BATCH_SIZE, offset, withTotal: false };
    const [page] = await listIssuesOf(context, [{ project }], filter, order, request, ISSUE);
    const nodes = page?.nodes ?? [];
    if (offset + nodes.length > MAX_ISSUES) throw tooMany();
    for (const issue of nodes) {
      const line = csvLine(COLUMNS.map(([, cell]) => cell(issue, place)));
      characters += line.length;
      lines.push(line);
    }
    if (characters > MAX_CHARACTERS) throw tooMany();
    if (nodes.length < BATCH_SIZE) return lines.join('');
  }
}

function tooMany(): BadRequest {
  return new BadRequest('filter matches more than 10,000 issues, or 16 MB of them; narrow it down');
}

function people({ assignees }: IssueRow, name: 'name' | 'username'): string {
  return assignees
    .toSorted((a, b) => a.position - b.position)
    .map(({ user }) => user[name])
    .join(', ');
}

function yes(value: boolean | null): string {
  return value ? 'Yes' : 'No';
}

function day(date: Date | string | null): string | null {
  return date === null ? null : new Date(date).toISOString().slice(0, 10);
}

function moment(time: Date | string | null): string | null {
  return time === null ? null : new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}
