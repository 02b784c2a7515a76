import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Issue } from '#schema/issues/types.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { Note } from '#schema/notes/types.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { Snippet } from '#schema/snippets/types.ts';
import { can } from '#src/access/permissions/abilities.ts';
import { mayChangeNote } from '#src/domain/tracking/notes/change.ts';
import { mayComment } from '#src/domain/tracking/notes/create.ts';

const COMMENT = 'Whether the caller can write notes on it and answer in its threads.';
const INTERNALLY = 'Whether the caller can write internal notes on it, as reporters can who may comment.';

/** What the caller may write on an issue, merge request or snippet of a project. */
async function rightsOn(
  context: GraphQLContext,
  projectId: number,
  discussionLocked: boolean | null,
): Promise<{ mayComment: boolean; mayCommentInternally: boolean }> {
  const { actor } = context;
  if (actor === null) return { mayComment: false, mayCommentInternally: false };
  const project = await requireProjectBase(context, projectId);
  const isAllowed = mayComment(actor, { project, discussionLocked });
  return { mayComment: isAllowed, mayCommentInternally: isAllowed && can(actor, 'read_internal_note', project) };
}

builder.prismaObjectFields(Issue, (t) => ({
  viewerCanComment: t.boolean({
    description: COMMENT,
    select: { projectId: true, discussionLocked: true },
    resolve: async ({ projectId, discussionLocked }, _args, context) =>
      (await rightsOn(context, projectId, discussionLocked)).mayComment,
  }),
  viewerCanCommentInternally: t.boolean({
    description: INTERNALLY,
    select: { projectId: true, discussionLocked: true },
    resolve: async ({ projectId, discussionLocked }, _args, context) =>
      (await rightsOn(context, projectId, discussionLocked)).mayCommentInternally,
  }),
}));

builder.prismaObjectFields(MergeRequest, (t) => ({
  viewerCanComment: t.boolean({
    description: COMMENT,
    select: { targetProjectId: true, discussionLocked: true },
    resolve: async ({ targetProjectId, discussionLocked }, _args, context) =>
      (await rightsOn(context, targetProjectId, discussionLocked)).mayComment,
  }),
  viewerCanCommentInternally: t.boolean({
    description: INTERNALLY,
    select: { targetProjectId: true, discussionLocked: true },
    resolve: async ({ targetProjectId, discussionLocked }, _args, context) =>
      (await rightsOn(context, targetProjectId, discussionLocked)).mayCommentInternally,
  }),
}));

builder.prismaObjectFields(Snippet, (t) => ({
  viewerCanComment: t.boolean({
    description: `${COMMENT} False for personal snippets, which have none.`,
    select: { projectId: true },
    resolve: async ({ projectId }, _args, context) =>
      projectId !== null && (await rightsOn(context, projectId, null)).mayComment,
  }),
}));

builder.prismaObjectFields(Note, (t) => ({
  viewerCanUpdate: t.boolean({
    description:
      'Whether the caller can edit and delete the note: its author and masters of the project may. False for system notes and comments on commits.',
    select: { authorId: true, system: true, subjectType: true, projectId: true },
    resolve: async (note, _args, context) => {
      if (context.actor === null || note.subjectType === 'Commit' || note.projectId === null) return false;
      return mayChangeNote(context.actor, await requireProjectBase(context, note.projectId), note);
    },
  }),
}));
