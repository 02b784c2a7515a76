import { builder } from '#schema/builder.ts';
import { CommitComment } from '#schema/commits/comments.ts';
import { DraftNote } from '#schema/draft_notes/types.ts';
import { Group } from '#schema/groups/types.ts';
import { Issue } from '#schema/issues/types.ts';
import { Label } from '#schema/labels/types.ts';
import { htmlOf } from '#schema/markdown/html_of.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { Milestone } from '#schema/milestones/types.ts';
import { Note } from '#schema/notes/types.ts';
import { Project } from '#schema/projects/types.ts';
import { Release } from '#schema/releases/types.ts';

const description =
  'The description as sanitised HTML, with links to what the caller can see; empty if there is no description.';
const title = 'The title as sanitised HTML on one line: text, emoji, and links to what the caller can see.';

builder.prismaObjectFields(Issue, (t) => ({
  titleHtml: t.string({
    description: title,
    select: { title: true, projectId: true },
    resolve: ({ title: text, projectId }, _args, context) => htmlOf(context, text, projectId, 'line'),
  }),
  descriptionHtml: t.string({
    description,
    select: { description: true, projectId: true },
    resolve: ({ description: text, projectId }, _args, context) => htmlOf(context, text, projectId),
  }),
}));

builder.prismaObjectFields(MergeRequest, (t) => ({
  titleHtml: t.string({
    description: title,
    select: { title: true, targetProjectId: true },
    resolve: ({ title: text, targetProjectId }, _args, context) => htmlOf(context, text, targetProjectId, 'line'),
  }),
  descriptionHtml: t.string({
    description,
    select: { description: true, targetProjectId: true },
    resolve: ({ description: text, targetProjectId }, _args, context) => htmlOf(context, text, targetProjectId),
  }),
}));

builder.prismaObjectFields(Note, (t) => ({
  bodyHtml: t.string({
    description: 'The text of the note as sanitised HTML, with links to what the caller can see.',
    select: { body: true, projectId: true },
    resolve: ({ body, projectId }, _args, context) => htmlOf(context, body, projectId),
  }),
}));

builder.prismaObjectFields(DraftNote, (t) => ({
  bodyHtml: t.string({
    description: 'The text of the draft note as sanitised HTML, with links to what the caller can see.',
    select: { body: true, mergeRequest: { select: { targetProjectId: true } } },
    resolve: ({ body, mergeRequest }, _args, context) => htmlOf(context, body, mergeRequest.targetProjectId),
  }),
}));

builder.prismaObjectFields(CommitComment, (t) => ({
  noteHtml: t.string({
    description: 'The text of the comment as sanitised HTML, with links to what the caller can see.',
    select: { note: true, projectId: true },
    resolve: ({ note, projectId }, _args, context) => htmlOf(context, note, projectId),
  }),
}));

builder.prismaObjectFields(Release, (t) => ({
  descriptionHtml: t.string({
    description: 'The release notes as sanitised HTML, with links to what the caller can see.',
    select: { description: true, projectId: true },
    resolve: ({ description: text, projectId }, _args, context) => htmlOf(context, text, projectId),
  }),
}));

builder.prismaObjectFields(Milestone, (t) => ({
  descriptionHtml: t.string({
    description,
    select: { description: true, projectId: true },
    resolve: ({ description: text, projectId }, _args, context) => htmlOf(context, text, projectId),
  }),
}));

builder.prismaObjectFields(Label, (t) => ({
  descriptionHtml: t.string({
    description:
      'The description as sanitised HTML on one line, with links to what the caller can see; empty if there is no description.',
    select: { description: true, projectId: true },
    resolve: ({ description: text, projectId }, _args, context) => htmlOf(context, text, projectId, 'line'),
  }),
}));

builder.prismaObjectFields(Project, (t) => ({
  descriptionHtml: t.string({
    description,
    select: { description: true },
    resolve: ({ id, description: text }, _args, context) => htmlOf(context, text, id),
  }),
}));

builder.prismaObjectFields(Group, (t) => ({
  descriptionHtml: t.string({
    description,
    select: { description: true },
    resolve: ({ description: text }, _args, context) => htmlOf(context, text, null),
  }),
}));
