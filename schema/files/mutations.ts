import { builder } from '#schema/builder.ts';
import { ContentEncoding } from '#schema/commits/mutations.ts';
import { Commit } from '#schema/commits/types.ts';
import { createFile, deleteFile, updateFile, type WrittenFile } from '#src/files/write.ts';

const WriteFileInput = builder.inputType('WriteFileInput', {
  description: 'A file and its content.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    path: t.string({ required: true, description: 'From the root of the repository.' }),
    branch: t.string({ required: true, description: 'The branch that the commit is added to.' }),
    content: t.string({ required: true, description: 'All of its content from now on.' }),
    encoding: t.field({ type: ContentEncoding, description: 'How the content is given; text by default.' }),
    message: t.string({ required: true, description: 'Message of the commit.' }),
    authorName: t.string({ description: 'Who wrote the change, if not the caller.' }),
    authorEmail: t.string({ description: 'E-mail address of who wrote the change.' }),
  }),
});

const DeleteFileInput = builder.inputType('DeleteFileInput', {
  description: 'Which file to delete.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    path: t.string({ required: true, description: 'From the root of the repository.' }),
    branch: t.string({ required: true, description: 'The branch that the commit is added to.' }),
    message: t.string({ required: true, description: 'Message of the commit.' }),
    authorName: t.string({ description: 'Who wrote the change, if not the caller.' }),
    authorEmail: t.string({ description: 'E-mail address of who wrote the change.' }),
  }),
});

const FilePayload = builder.objectRef<WrittenFile>('FilePayload').implement({
  description: 'What was written, and where.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The file as it was named.' }),
    branch: t.exposeString('branch', { description: 'The branch.' }),
    commit: t.expose('commit', { type: Commit, description: 'The commit that was made.' }),
  }),
});

builder.mutationFields((t) => ({
  createFile: t.field({
    type: FilePayload,
    description: 'Commits a new file.',
    args: { input: t.arg({ type: WriteFileInput, required: true, description: 'The file.' }) },
    resolve: (_root, { input: { project, ...change } }, context) => createFile(context, project, change),
  }),
  updateFile: t.field({
    type: FilePayload,
    description: 'Commits new content of a file.',
    args: { input: t.arg({ type: WriteFileInput, required: true, description: 'The file.' }) },
    resolve: (_root, { input: { project, ...change } }, context) => updateFile(context, project, change),
  }),
  deleteFile: t.field({
    type: FilePayload,
    description: 'Commits the removal of a file.',
    args: { input: t.arg({ type: DeleteFileInput, required: true, description: 'Which file.' }) },
    resolve: (_root, { input: { project, ...change } }, context) => deleteFile(context, project, change),
  }),
}));
