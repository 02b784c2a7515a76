import { builder } from '#schema/builder.ts';
import {
  author,
  ContentEncoding,
  contentFile,
  executeFilemode,
  lastCommitId,
  startBranch,
} from '#schema/commits/mutations.ts';
import { Commit } from '#schema/commits/types.ts';
import { type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { createFile, deleteFile, updateFile, type WrittenFile } from '#src/domain/repository/files/write.ts';

const change = (t: InputFields) => ({
  project: projectField(t, 'of the repository'),
  path: t.string({ required: true, description: 'Path of the file from the root of the repository.' }),
  branch: t.string({ required: true, description: 'Name of the branch that gets the commit.' }),
  startBranch: startBranch(t),
  message: t.string({ required: true, description: 'Message of the commit; its first line is the title.' }),
  ...author(t),
});

const write = (t: InputFields) => ({
  ...change(t),
  content: t.string({ description: 'The new content of the file.' }),
  contentFile: contentFile(t),
  encoding: t.field({
    type: ContentEncoding,
    required: true,
    defaultValue: 'text',
    description: 'How `content` is given.',
  }),
  executeFilemode: executeFilemode(t),
});

const CreateFileInput = builder.inputType('CreateFileInput', {
  description: 'A new file, and the commit that adds it.',
  fields: write,
});

const UpdateFileInput = builder.inputType('UpdateFileInput', {
  description: 'New content of a file, and the commit message.',
  fields: (t) => ({ ...write(t), lastCommitId: lastCommitId(t) }),
});

const DeleteFileInput = builder.inputType('DeleteFileInput', {
  description: 'Which file to delete, and the commit that does so.',
  fields: (t) => ({ ...change(t), lastCommitId: lastCommitId(t) }),
});

const FileChange = builder.interfaceRef<WrittenFile>('FileChange').implement({
  description: 'The file and commit after a change to one file.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Path of the file, as it was given.' }),
    branch: t.exposeString('branch', { description: 'Name of the branch with the commit.' }),
    commit: t.expose('commit', { type: Commit, description: 'The commit that was created.' }),
  }),
});

function filePayload(mutation: string) {
  return builder.objectRef<WrittenFile>(namesOf(mutation).payload).implement({
    description: 'The file that was written, and the commit.',
    interfaces: [FileChange],
  });
}

const DeleteFilePayload = builder.objectRef<WrittenFile>('DeleteFilePayload').implement({
  description: 'The file that was deleted, and the commit.',
  interfaces: [FileChange],
  fields: (t) => ({
    deletedFilePath: t.exposeString('path', { description: 'Path of the file that was deleted, as given.' }),
  }),
});

builder.mutationFields((t) => ({
  createFile: t.field({
    type: filePayload('createFile'),
    description: 'Commits a new file. For developers; on protected branches, for masters.',
    args: {
      input: t.arg({ type: CreateFileInput, required: true, description: 'Path and content, branch and message.' }),
    },
    resolve: (_root, { input: { project, ...given } }, context) => createFile(context, project, given),
  }),
  updateFile: t.field({
    type: filePayload('updateFile'),
    description: 'Commits new content of a file. For developers; on protected branches, for masters.',
    args: {
      input: t.arg({ type: UpdateFileInput, required: true, description: 'Path and content, branch and message.' }),
    },
    resolve: (_root, { input: { project, ...given } }, context) => updateFile(context, project, given),
  }),
  deleteFile: t.field({
    type: DeleteFilePayload,
    description: 'Commits the removal of a file. For developers; on protected branches, for masters.',
    args: { input: t.arg({ type: DeleteFileInput, required: true, description: 'Path, branch and message.' }) },
    resolve: (_root, { input: { project, ...given } }, context) => deleteFile(context, project, given),
  }),
}));
