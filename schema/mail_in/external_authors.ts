import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Issue } from '#schema/issues/types.ts';
import { Note } from '#schema/notes/types.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { can } from '#src/access/permissions/abilities.ts';
import { obscured } from '#src/domain/mail_in/obscured.ts';

const AUTHOR = { externalAuthor: true, projectId: true } as const;

/** The address as the caller may see it: whole for those who work on the issues of the project. */
async function authorOf(
  { externalAuthor: address, projectId }: { externalAuthor: string | null; projectId: number | null },
  _args: unknown,
  context: GraphQLContext,
): Promise<string | null> {
  if (address === null || projectId === null) return null;
  return can(context.actor, 'admin_issue', await requireProjectBase(context, projectId)) ? address : obscured(address);
}

builder.prismaObjectFields(Issue, (t) => ({
  externalAuthor: t.string({
    ...{ nullable: true, select: AUTHOR, resolve: authorOf },
    description:
      'The email address of who opened the issue by mail to the service desk, without an account; null for other issues. Whole for reporters, with most of it left out for others.',
  }),
  serviceDeskReplyTo: t.string({
    ...{ nullable: true, select: AUTHOR, resolve: authorOf },
    description: 'The same as `externalAuthor`, for compatibility with the REST API.',
  }),
}));

builder.prismaObjectFields(Note, (t) => ({
  externalAuthor: t.string({
    ...{ nullable: true, select: AUTHOR, resolve: authorOf },
    description:
      'The email address of who wrote the note by mail, without an account; null for other notes. Whole for reporters, with most of it left out for others.',
  }),
}));
