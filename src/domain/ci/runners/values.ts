import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';

/** Most tags of a runner, and characters of the longest tag. */
export const MAX_TAGS = 50;
const MAX_TAG_LENGTH = 255;
/** Characters of the longest description, and of the runner's facts about itself. */
const MAX_TEXT_LENGTH = 255;

/** The facts that a runner program sends about itself. */
export interface RunnerInfo {
  name: string | null;
  version: string | null;
  revision: string | null;
  platform: string | null;
  architecture: string | null;
}

/** The values of a runner that are validated together. */
export interface RunnerValues {
  description: string;
  tagList: string[];
  runUntagged: boolean;
  /** Seconds. */
  maximumTimeout?: number | null;
  maintenanceNote?: string | null;
}

/** Seconds of the shortest maximum timeout, and characters of the longest note. */
const MIN_TIMEOUT_SECONDS = 600;
const MAX_NOTE_LENGTH = 1024;

/** The features that a runner program says it has (`info.features`). */
export function readFeatures(info: unknown): ReadonlySet<string> {
  const { features } = Object(info) as { features?: unknown };
  return new Set(Object.entries(Object(features)).flatMap(([name, has]) => (has === true ? [name] : [])));
}

/** Reads an `info`, truncated to what is stored; values that are not strings count as absent. */
export function readInfo(info: unknown): RunnerInfo {
  const given = typeof info === 'object' && info !== null ? (info as Record<string, unknown>) : {};
  const text = (key: string) => {
    const value = Object.hasOwn(given, key) ? given[key] : null;
    if (typeof value !== 'string') return null;
    return value.replaceAll('\0', '').toWellFormed().slice(0, MAX_TEXT_LENGTH);
  };
  return {
    name: text('name'),
    version: text('version'),
    revision: text('revision'),
    platform: text('platform'),
    architecture: text('architecture'),
  };
}

/** Normalizes tags: trimmed, without duplicates. */
export function normalTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''))];
}

/** Throws ValidationFailed for invalid values. */
export function checkRunner({
  description,
  tagList,
  runUntagged,
  maximumTimeout,
  maintenanceNote,
}: RunnerValues): void {
  const errors: FieldErrors = {};
  if (description.length > MAX_TEXT_LENGTH) {
    errors.description = [`is too long (maximum is ${MAX_TEXT_LENGTH} characters)`];
  } else if (isUnusable(description)) errors.description = ['is invalid'];
  const wrong = tagErrors(tagList, runUntagged);
  if (wrong.length > 0) errors.tag_list = wrong;
  if (maximumTimeout != null && !(maximumTimeout >= MIN_TIMEOUT_SECONDS && maximumTimeout < 2 ** 31)) {
    errors.maximum_timeout = ['needs to be at least 10 minutes'];
  }
  if (maintenanceNote != null && maintenanceNote.length > MAX_NOTE_LENGTH) {
    errors.maintenance_note = [`is too long (maximum is ${MAX_NOTE_LENGTH} characters)`];
  } else if (isUnusable(maintenanceNote ?? '')) errors.maintenance_note = ['is invalid'];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

function tagErrors(tags: readonly string[], runUntagged: boolean): string[] {
  if (tags.length > MAX_TAGS) return [`is too long (maximum is ${MAX_TAGS} tags)`];
  if (tags.some((tag) => tag.length > MAX_TAG_LENGTH)) {
    return [`has a tag that is too long (maximum is ${MAX_TAG_LENGTH} characters)`];
  }
  if (tags.some(isUnusable)) return ['is invalid'];
  if (tags.length === 0 && !runUntagged) return ['can not be empty when runner is not allowed to pick untagged jobs'];
  return [];
}

/** Whether the database cannot store a text. */
function isUnusable(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
}
