import type { Visibility } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { ALL_FEATURES, changedFeatures, FEATURES } from '#src/access/permissions/features.ts';
import { closestVisibility } from '#src/access/permissions/visibility_levels.ts';
import { snakeCase } from '#src/base/text.ts';
import { CHECKS } from '#src/domain/project_archives/checks.ts';
import type { ImportOverrides } from '#src/domain/project_archives/import_request.ts';
import { ArchiveInvalid } from '#src/domain/project_archives/lines.ts';
import { PROJECT, SETTINGS } from '#src/domain/project_archives/place.ts';
import { headFile } from '#src/domain/project_archives/read.ts';
import { givenSwitches, tags, textErrors } from '#src/domain/projects/values.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { factsOf } from '#src/platform/records/model.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** The project of an archive: what is not a record of a kind. */
export interface Head {
  /** The ID of the project in the archive. */
  id: unknown;
  settings: Partial<Record<(typeof SETTINGS)[number], unknown>>;
}

/** What `project.json` says. Throws ArchiveInvalid. */
export async function headOf(directory: string): Promise<Head> {
  const record = await headFile(directory, PROJECT);
  const { columns } = factsOf('Project');
  const settings: Head['settings'] = {};
  for (const name of SETTINGS) {
    const value = record[snakeCase(name)];
    const { type = '', isList = false } = columns[name] ?? {};
    if (value === undefined) continue;
    if (value !== null && !(isList ? isTexts(value) : await CHECK_OF[type]?.(value, type))) {
      throw new ArchiveInvalid(`${PROJECT} has a value of ${snakeCase(name)} that is not allowed.`);
    }
    settings[name] = value;
  }
  const texts = settings as {
    description?: string;
    defaultBranch?: string;
    tagList?: string[];
    ciDefaultGitDepth?: number;
    ciConfigPath?: string;
    mergeCommitTemplate?: string;
    squashCommitTemplate?: string;
    issuesTemplate?: string;
    mergeRequestsTemplate?: string;
  };
  const [wrong] = Object.entries(textErrors(texts));
  if (wrong) throw new ArchiveInvalid(`${PROJECT} has a ${wrong[0]} that ${wrong[1][0]}.`);
  const { buildTimeout, membersOnly } = settings;
  if (Array.isArray(membersOnly) && !membersOnly.every((name) => FEATURES.some((feature) => feature === name))) {
    throw new ArchiveInvalid(`${PROJECT} has a value of members_only that is not allowed.`);
  }
  if (typeof buildTimeout === 'number' && buildTimeout < 1)
    throw new ArchiveInvalid(`${PROJECT} has no build_timeout.`);
  return { id: record.id, settings };
}

const CHECK_OF: Readonly<Record<string, (value: unknown, type: string) => boolean>> = {
  String: CHECKS.text,
  Boolean: CHECKS.boolean,
  Int: CHECKS.number,
  Visibility: CHECKS.enum,
  PagesAccess: CHECKS.enum,
  MergeMethod: CHECKS.enum,
  SquashOption: CHECKS.enum,
};

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length <= 100 && value.every((one) => CHECKS.name(one));
}

/** Gives a project the settings of the archive, or those that were asked for in their place. */
export async function applySettings(
  tx: Transaction,
  context: Context,
  actor: Actor,
  { project, settings: given }: { project: { id: number; namespaceId: number }; settings: ImportOverrides },
  head: Head,
): Promise<void> {
  const { visibility: archived, defaultBranch: _branch, tagList, ...settings } = head.settings;
  const [{ group } = { group: null }] = await tx.$queryRaw<{ group: Visibility | null }[]>`
    SELECT CASE WHEN kind = 'group' THEN visibility::text END AS "group" FROM namespaces WHERE id = ${project.namespaceId}`;
  const wanted = given.visibility ?? (archived as Visibility | undefined) ?? 'private';
  const visibility = closestVisibility(actor, await currentSettings(context.db), wanted, { group });
  const known = Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => value !== null || NULLABLE.has(name)),
  );
  const features = { ...ALL_FEATURES, ...known };
  await tx.project.update({
    where: { id: project.id },
    data: {
      ...known,
      ...givenSwitches(given),
      ...changedFeatures(features, given, {}),
      ...(given.description != null && { description: given.description }),
      visibility,
      tagList: tags((tagList as string[] | undefined) ?? []),
    },
  });
}

/** Settings that may be null. */
const NULLABLE: ReadonlySet<string> = new Set(['description', 'ciDefaultGitDepth']);
