import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import '#schema/users/types.ts';
import { INTERNAL } from '#src/domain/tracking/subjects/seen_sources.ts';

export const Note = builder.prismaObject('Note', {
  description: 'A comment on an issue, merge request, snippet or commit, or a system note: a record of a change.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the note; of a comment on a commit, that of the `CommitComment`.',
      select: { subjectType: true },
      resolve: ({ id, subjectType }) => toGlobalId(subjectType === 'Commit' ? 'CommitComment' : 'Note', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the note.' }),
    body: t.exposeString('body', { description: 'Text of the note, in Markdown.' }),
    attachment: t.string({
      nullable: true,
      description: 'Always null, for compatibility with the REST API.',
      resolve: () => null,
    }),
    author: t.relation('author', { description: 'The user who wrote the note, or who made the change.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the note was written.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the note was last changed.' }),
    lastEditedAt: t.expose('lastEditedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its text was last edited; null if it was not, or if that is not known.',
    }),
    system: t.exposeBoolean('system', { description: 'Whether it is a system note, which records a change.' }),
    internal: t.boolean({
      description:
        'Whether only its author and reporters of the project see the note. The answers in its thread are internal, too.',
      select: { sourceType: true },
      resolve: ({ sourceType }) => sourceType === INTERNAL,
    }),
    imported: t.boolean({
      description: 'Always false, for compatibility with the REST API.',
      resolve: () => false,
    }),
    importedFrom: t.string({
      description: 'Always `none`, for compatibility with the REST API.',
      resolve: () => 'none',
    }),
    commandsChanges: t.field({
      type: 'JSON',
      description: 'Always empty, for compatibility with the REST API.',
      resolve: () => ({}),
    }),
    noteableId: t.exposeInt('subjectId', {
      nullable: true,
      description: 'Numeric ID of the record that the note is about; null for commits.',
    }),
    noteableType: t.exposeString('subjectType', {
      description: 'Type of what the note is about: `Commit`, `Issue`, `MergeRequest` or `Snippet`.',
    }),
  }),
});

export const NoteConnection = connectionOf('Note', Note);
