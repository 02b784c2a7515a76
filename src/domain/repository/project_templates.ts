import type { Context } from '#src/access/permissions/actor.ts';
import { findTemplate, listTemplates, TEMPLATE_KINDS } from '#src/domain/administration/templates/files.ts';
import { findLicense, type LicenseTemplate, listLicenses } from '#src/domain/administration/templates/license.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import {
  DESCRIPTION_KINDS,
  type DescriptionKind,
  descriptionNamed,
  listDescriptions,
} from '#src/domain/repository/description_templates.ts';
import { NotFound } from '#src/platform/errors.ts';
import { type Page, type PageRequest, pageOf } from '#src/platform/page.ts';

/** What a project has templates for: files that come with the server, licenses, and descriptions that its repository has. */
export const PROJECT_TEMPLATE_KINDS = [...TEMPLATE_KINDS, 'licenses', ...DESCRIPTION_KINDS] as const;
export type ProjectTemplateKind = (typeof PROJECT_TEMPLATE_KINDS)[number];

export interface ProjectTemplateName {
  key: string;
  name: string;
}

export interface ProjectTemplate extends ProjectTemplateName {
  content: string;
  /** All that is known of a license. */
  license: LicenseTemplate | null;
}

/** The names that a license is filled with. */
export interface Filling {
  project?: string | null | undefined;
  fullName?: string | null | undefined;
}

/** The templates of a kind, by name. Throws Forbidden, Unauthenticated. */
export async function listProjectTemplates(
  context: Context,
  project: ProjectRow,
  kind: ProjectTemplateKind,
  page: PageRequest,
): Promise<Page<ProjectTemplateName>> {
  if (isDescription(kind)) {
    const templates = await listDescriptions(context, project, kind);
    return pageOf(
      templates.map(({ name }) => ({ key: name, name })),
      page,
    );
  }
  if (kind === 'licenses') return listLicenses(context, false, page);
  const { nodes, ...rest } = await listTemplates(context, kind, page);
  return { ...rest, nodes: nodes.map(({ name }) => ({ key: name, name })) };
}

/** The template with that key, ignoring case. Throws NotFound, Forbidden, Unauthenticated. */
export async function findProjectTemplate(
  context: Context,
  project: ProjectRow,
  kind: ProjectTemplateKind,
  key: string,
  filling: Filling,
): Promise<ProjectTemplate> {
  if (kind === 'licenses') {
    const license = await findLicense(context, key, filling).catch(notATemplate);
    return { key: license.key, name: license.name, content: license.content, license };
  }
  if (!isDescription(kind)) {
    const { name, content } = await findTemplate(context, kind, key).catch(notATemplate);
    return { key: name, name, content, license: null };
  }
  const found = descriptionNamed(await listDescriptions(context, project, kind), key);
  const content = await found?.read();
  if (!found || content === undefined) throw new NotFound('Template');
  return { key: found.name, name: found.name, content, license: null };
}

function isDescription(kind: ProjectTemplateKind): kind is DescriptionKind {
  return DESCRIPTION_KINDS.some((one) => one === kind);
}

function notATemplate(error: unknown): never {
  throw error instanceof NotFound ? new NotFound('Template') : error;
}
