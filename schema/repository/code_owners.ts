import { groupsBelow, usersBelow } from '#schema/approvals/types.ts';
import { builder } from '#schema/builder.ts';
import { AccessLevel } from '#schema/enums.ts';
import { Group } from '#schema/groups/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { RepositoryFile } from '#schema/repository/types.ts';
import { User } from '#schema/users/types.ts';
import {
  errorsOfFiles,
  type FileOwners,
  type OwnedFile,
  ownersOfFiles,
} from '#src/domain/repository/code_owners/of_file.ts';
import type { CodeOwnersError, CodeOwnersErrorKind } from '#src/domain/repository/code_owners/parse.ts';

const ErrorKind = builder.enumType('CodeOwnersErrorKind', {
  description: 'What is wrong with a line of a file of code owners.',
  values: {
    MISSING_SECTION_NAME: { value: 'missing_section_name', description: 'The brackets of a section are empty.' },
    INVALID_APPROVAL_REQUIREMENT: {
      value: 'invalid_approval_requirement',
      description: 'The number of approvals of a section is none from 1 to 100: one is asked for.',
    },
    INVALID_SECTION_FORMAT: { value: 'invalid_section_format', description: 'The brackets of a section do not match.' },
    INVALID_SECTION_OWNER_FORMAT: {
      value: 'invalid_section_owner_format',
      description: 'A default owner of a section is neither a name with `@` or `@@` in front nor an email address.',
    },
    MISSING_ENTRY_OWNER: {
      value: 'missing_entry_owner',
      description: 'A pattern has no owners, and neither has its section by default.',
    },
    INVALID_ENTRY_OWNER_FORMAT: {
      value: 'invalid_entry_owner_format',
      description: 'An owner is neither a name with `@` or `@@` in front nor an email address.',
    },
    PATTERN_TOO_LONG: { value: 'pattern_too_long', description: 'A pattern has more than 255 characters.' },
    TOO_MANY_ENTRIES: {
      value: 'too_many_entries',
      description: 'The file has more than 1,000 entries, or 100 sections: what follows is not read.',
    },
    UNKNOWN_OWNER: {
      value: 'unknown_owner',
      description: 'An owner is no user, no role, and no group around the project or that it is shared with.',
    },
    FILE_TOO_LARGE: { value: 'file_too_large', description: 'The file has more than 256 KB, and is not read.' },
  } as const satisfies Record<Uppercase<CodeOwnersErrorKind>, { value: CodeOwnersErrorKind; description: string }>,
});

const CodeOwnersProblem = builder.objectRef<CodeOwnersError>('CodeOwnersError').implement({
  description: 'Something that is wrong in a file of code owners.',
  fields: (t) => ({
    line: t.exposeInt('line', { description: 'Number of the line, from 1.' }),
    kind: t.expose('kind', { type: ErrorKind, description: 'What is wrong with the line.' }),
  }),
});

const CodeOwnersOfFile = builder.objectRef<FileOwners>('CodeOwnersOfFile').implement({
  description: 'Who owns a file, by one section of the file of code owners.',
  fields: (t) => ({
    section: t.exposeString('section', {
      description: 'Name of the section; `codeowners` for entries outside of any.',
    }),
    pattern: t.exposeString('pattern', { description: 'The pattern of the entry that applies.' }),
    approvalsRequired: t.exposeInt('approvals', {
      description:
        'How many approvals of the owners a merge request needs that changes the file, where its target branch asks for them; 0 in an optional section.',
    }),
    path: t.exposeString('path', { description: 'Where that file lies in the repository, such as `docs/CODEOWNERS`.' }),
    line: t.exposeInt('line', { description: 'Number of the line of the entry, from 1.' }),
    users: t.field({
      type: [User],
      description: 'The users who own the file.',
      resolve: ({ userIds }, _args, context, info) => usersBelow(context, info, userIds),
    }),
    groups: t.field({
      type: [Group],
      description: 'The groups that own the file, of which the caller sees these.',
      resolve: ({ groupIds }, _args, context, info) => groupsBelow(context, info, groupIds),
    }),
    roles: t.expose('roles', {
      type: [AccessLevel],
      description: 'The roles whose members own the file, such as `@@developers`: those with exactly these.',
    }),
  }),
});

builder.objectFields(RepositoryFile, (t) => ({
  codeOwners: t.field({
    type: [CodeOwnersOfFile],
    description:
      'Who owns the file, by the file `CODEOWNERS`, `docs/CODEOWNERS` or `.gitlab/CODEOWNERS` of the same commit, section by section.',
    resolve: (file, _args, context, info) => {
      const load = (files: readonly OwnedFile[]) => ownersOfFiles(context, files);
      return loaderAt(context, info, { key: 'owners' }, load, { cache: false }).load(file);
    },
  }),
  codeOwnersErrors: t.field({
    type: [CodeOwnersProblem],
    description: 'What is wrong with a file of code owners, line by line; nothing for any other file.',
    resolve: (file, _args, context, info) => {
      const load = (files: readonly OwnedFile[]) => errorsOfFiles(context, files);
      return loaderAt(context, info, { key: 'errors' }, load, { cache: false }).load(file);
    },
  }),
}));
