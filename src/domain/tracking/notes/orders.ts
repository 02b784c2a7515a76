import type { Context } from '#src/access/permissions/actor.ts';
import { createIssueLink, deleteIssueLink } from '#src/domain/tracking/issue_links/save.ts';
import { locateIssue } from '#src/domain/tracking/issues/find.ts';
import { moveIssue, requireMovable } from '#src/domain/tracking/issues/move.ts';
import { updateIssue } from '#src/domain/tracking/issues/update.ts';
import { locateMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { acceptMergeRequest } from '#src/domain/tracking/merge_requests/merge.ts';
import { requestRebase } from '#src/domain/tracking/merge_requests/rebase.ts';
import type { Noteable } from '#src/domain/tracking/noteable.ts';
import type { Order, OrderName } from '#src/domain/tracking/quick_actions/interpret.ts';
import { BadRequest, Conflict, Forbidden, NotFound } from '#src/platform/errors.ts';

/** A record that can be given orders. */
interface Ordered extends Pick<Noteable, 'id' | 'project'> {
  type: 'Issue' | 'MergeRequest';
  iid: number;
}

/** Does something with the rights of the actor. Throws what its command throws. */
type Do = (context: Context, on: Ordered, argument: string) => Promise<unknown>;

/** What has to be so before the note is written. */
const CHECKS: Partial<Record<OrderName, Do>> = {
  move: async (context, { project, iid }, to) =>
    requireMovable(context, await locateIssue(context, project.id, iid), pathOf(to)),
};

const BEFORE: Partial<Record<OrderName, Do>> = {
  relate: eachIssue(async (context, on, other) => createIssueLink(context, whichOf(on), other)),
  unrelate: eachIssue(async (context, on, other) => {
    const { project, issue } = await locateIssue(context, other.project, other.iid);
    const ends = [on.id, issue.id];
    const link = await context.db.issueLink.findFirst({
      where: { sourceId: { in: ends }, targetId: { in: ends } },
      select: { id: true },
    });
    if (!link || issue.id === on.id)
      throw new NotFound('IssueLink', `#${issue.iid} of ${project.fullPath} is not linked`);
    await deleteIssueLink(context, whichOf(on), { id: link.id });
  }),
  duplicate: eachIssue(async (context, on, other) => {
    await createIssueLink(context, whichOf(on), other).catch(unlessLinked);
    await updateIssue(context, on.project.id, on.iid, { stateEvent: 'close' });
  }),
  merge: (context, { project, iid }) =>
    acceptMergeRequest(context, project.id, iid, { mergeWhenPipelineSucceeds: true }),
  rebase: (context, { project, iid }) => requestRebase(context, project.id, iid, { skipCi: false }),
};

/** Those that take the record away, or end its life, come behind the note. */
const AFTER: Partial<Record<OrderName, Do>> = {
  move: (context, { project, iid }, to) => moveIssue(context, project.id, iid, pathOf(to)),
};

/** What an order changes together with the note. */
export interface Copied {
  addLabels?: string[];
  milestoneId?: number;
}

/** Does what can be done before the note is written, and returns what changes with it. Throws what the command throws. */
export async function obey(context: Context, on: Ordered, { name, argument }: Order): Promise<Copied> {
  await CHECKS[name]?.(context, on, argument);
  await BEFORE[name]?.(context, on, argument);
  return name === 'copy_metadata' ? metadataOf(context, on, argument) : {};
}

/** Does the rest, behind the note. */
export async function finish(context: Context, on: Ordered, { name, argument }: Order): Promise<void> {
  await AFTER[name]?.(context, on, argument);
}

interface Which {
  project: number | string;
  iid: number;
}

const whichOf = ({ project, iid }: Ordered): Which => ({ project: project.id, iid });

function eachIssue(command: (context: Context, on: Ordered, other: Which) => Promise<unknown>): Do {
  return async (context, on, argument) => {
    const named = argument.split(/[\s,]+/).filter((word) => word !== '');
    if (named.length > MAX_REFERENCES) throw new BadRequest(`names more than ${MAX_REFERENCES} issues`);
    const issues = named.map((word) => referenceIn(word, '#', on));
    for (const issue of issues) await command(context, on, issue);
  };
}

/** Issues that one line may name, and characters of a reference to one. */
const MAX_REFERENCES = 20;
const MAX_REFERENCE_LENGTH = 2_000;

/** `#4`, `group/project#4`, or `project#4` of the same namespace. Throws NotFound for anything else. */
function referenceIn(word: string, sign: '#' | '!', { project }: Ordered): Which {
  const [, path = '', number = ''] =
    word.length > MAX_REFERENCE_LENGTH ? [] : (/^([\w./-]*)[#!](\d{1,9})$/.exec(word) ?? []);
  if (number === '' || !word.includes(sign))
    throw new NotFound('Issue', `${word.slice(0, 100)} is no reference such as ${sign}1`);
  const namespace = project.fullPath.slice(0, project.fullPath.lastIndexOf('/') + 1);
  return { project: path === '' ? project.id : path.includes('/') ? path : `${namespace}${path}`, iid: Number(number) };
}

const pathOf = (argument: string) => argument.replace(/^\//, '');

function unlessLinked(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}

/** The labels and the milestone of another issue or merge request of the project. */
async function metadataOf(context: Context, on: Ordered, argument: string): Promise<Copied> {
  const isIssue = argument.includes('#');
  const other = referenceIn(argument, isIssue ? '#' : '!', on);
  const { id, project } = isIssue
    ? await locateIssue(context, other.project, other.iid).then(({ project, issue }) => ({ project, id: issue.id }))
    : await locateMergeRequest(context, other.project, other.iid).then(({ project, mergeRequest }) => ({
        project,
        id: mergeRequest.id,
      }));
  if (project.id !== on.project.id) throw new Forbidden('Labels and milestone are copied within one project');
  const of = isIssue ? { issues: { some: { issueId: id } } } : { mergeRequests: { some: { mergeRequestId: id } } };
  const labels = await context.db.label.findMany({ where: of, select: { title: true } });
  const which = { where: { id }, select: { milestoneId: true } };
  const found = isIssue ? await context.db.issue.findUnique(which) : await context.db.mergeRequest.findUnique(which);
  return {
    addLabels: labels.map(({ title }) => title),
    ...(found?.milestoneId != null && { milestoneId: found.milestoneId }),
  };
}
