import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Project } from '#schema/projects/types.ts';
import { License } from '#schema/templates/queries.ts';
import { can } from '#src/access/permissions/abilities.ts';
import { licenseWithKey } from '#src/domain/administration/templates/license.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';

/** Address of the page of a file in the root directory; null for callers who cannot read it. */
function fileUrl(
  project: ProjectRow & { isEmpty: boolean },
  name: string | null | undefined,
  { actor, baseUrl }: GraphQLContext,
): string | null {
  const { fullPath, defaultBranch, isEmpty } = project;
  if (!name || defaultBranch === null || isEmpty || !can(actor, 'read_repository', project)) return null;
  const branch = defaultBranch.split('/').map(encodeURIComponent).join('/');
  return `${baseUrl}/${fullPath}/-/blob/${branch}/${name}`;
}

builder.prismaObjectFields(Project, (t) => ({
  readmeUrl: t.field({
    type: 'URL',
    nullable: true,
    description:
      'URL of the page of the file that introduces the project, on the default branch; null without one, and for callers who cannot read the repository.',
    select: { isEmpty: true, languageCount: { select: { readme: true } } },
    resolve: (project, _args, context) => fileUrl(project, project.languageCount?.readme, context),
  }),
  licenseUrl: t.field({
    type: 'URL',
    nullable: true,
    description:
      'URL of the page of the file with the license of the project, on the default branch; null for a text that is not known.',
    select: { isEmpty: true, languageCount: { select: { licenseFile: true } } },
    resolve: (project, _args, context) => fileUrl(project, project.languageCount?.licenseFile, context),
  }),
  license: t.field({
    type: License,
    nullable: true,
    description: 'The license of the project, with placeholders in its text; null for a text that is not known.',
    select: { isEmpty: true, languageCount: { select: { licenseFile: true, licenseKey: true } } },
    resolve: ({ languageCount, ...project }, _args, context) =>
      languageCount?.licenseKey && fileUrl(project, languageCount.licenseFile, context) !== null
        ? licenseWithKey(languageCount.licenseKey)
        : null,
  }),
}));
