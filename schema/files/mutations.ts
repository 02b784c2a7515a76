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
import { type InputFields, projectField } from '#schema/inputs.ts';
import { mutation, type Payload } from '#schema/mutation.ts';
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

const FileChange = builder.interfaceRef<WrittenFile>('FileChange').implement({
  description: 'The file and commit after a change to one file.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Path of the file, as it was given.' }),
    branch: t.exposeString('branch', { description: 'Name of the branch with the commit.' }),
    commit: t.expose('commit', { type: Commit, description: 'The commit that was created.' }),
  }),
});

const filePayload: Payload<WrittenFile> = {
  description: 'The file that was written, and the commit.',
  interfaces: [FileChange],
};

mutation('createFile', {
  description: 'Commits a new file. For developers; on protected branches, for masters.',
  input: {
    description: 'A new file, and the commit that adds it.',
    argument: 'Path and content, branch and message.',
    fields: write,
  },
  resolve: ({ project, ...given }, context) => createFile(context, project, given),
  payload: filePayload,
});

mutation('updateFile', {
  description: 'Commits new content of a file. For developers; on protected branches, for masters.',
  input: {
    description: 'New content of a file, and the commit message.',
    argument: 'Path and content, branch and message.',
    fields: (t) => ({ ...write(t), lastCommitId: lastCommitId(t) }),
  },
  resolve: ({ project, ...given }, context) => updateFile(context, project, given),
  payload: filePayload,
});

mutation('deleteFile', {
  description: 'Commits the removal of a file. For developers; on protected branches, for masters.',
  input: {
    description: 'Which file to delete, and the commit that does so.',
    argument: 'Path, branch and message.',
    fields: (t) => ({ ...change(t), lastCommitId: lastCommitId(t) }),
  },
  resolve: ({ project, ...given }, context) => deleteFile(context, project, given),
  payload: {
    description: 'The file that was deleted, and the commit.',
    interfaces: [FileChange],
    fields: (t) => ({
      deletedFilePath: t.exposeString('path', { description: 'Path of the file that was deleted, as given.' }),
    }),
  },
});
