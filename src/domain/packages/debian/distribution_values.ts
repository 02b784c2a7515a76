import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';

/** Distributions that a project or group has at most; and components and architectures of one. */
export const MAX_DISTRIBUTIONS = 100;
const MAX_PARTS = 20;
/** Characters of the longest text. */
const MAX_TEXT_LENGTH = 255;
/** Seconds for which an index counts at least and at most: a day, ten years. */
const VALID_TIME = { min: 24 * 60 * 60, max: 10 * 365 * 24 * 60 * 60 };

/** What can be said of a distribution; null clears it. */
export interface DistributionChanges {
  suite?: string | null | undefined;
  origin?: string | null | undefined;
  label?: string | null | undefined;
  version?: string | null | undefined;
  description?: string | null | undefined;
  /** Seconds. */
  validTime?: number | null | undefined;
  components?: readonly string[] | null | undefined;
  /** `all` is always one of them. */
  architectures?: readonly string[] | null | undefined;
}

/** What a distribution is made of. */
export interface DistributionValues {
  codename: string;
  suite: string | null;
  origin: string | null;
  label: string | null;
  version: string | null;
  description: string | null;
  validTime: number | null;
  components: string[];
  architectures: string[];
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9.-]*$/;
const PART = /^[A-Za-z0-9][A-Za-z0-9-]*$/;
/** What stands on a line of its own in an index. */
const LINE = /^[^\r\n\0]*$/;
const TEXTS = ['origin', 'label', 'version', 'description'] as const;

/** The values of a distribution, with what it has unless told otherwise. Throws ValidationFailed. */
export function requireValidDistribution(given: DistributionChanges & { codename: string }): DistributionValues {
  const text = (value: string | null | undefined) => value?.trim() || null;
  const values: DistributionValues = {
    codename: given.codename.trim(),
    ...{ suite: text(given.suite), origin: text(given.origin), label: text(given.label) },
    ...{ version: text(given.version), description: text(given.description), validTime: given.validTime ?? null },
    components: [...new Set(given.components?.length ? given.components : ['main'])],
    architectures: [...new Set(['all', ...(given.architectures?.length ? given.architectures : ['amd64'])])],
  };
  const wrong = { ...wrongNames(values), ...wrongTexts(values), ...wrongParts(values) };
  if (Object.keys(wrong).length > 0) throw new ValidationFailed(wrong);
  return values;
}

function wrongNames({ codename, suite }: DistributionValues): FieldErrors {
  const wrong: FieldErrors = {};
  for (const [field, name] of Object.entries({ codename, suite })) {
    if (name === null) continue;
    if (name === '') wrong[field] = ["can't be blank"];
    else if (name.length > MAX_TEXT_LENGTH) wrong[field] = [TOO_LONG];
    else if (!NAME.test(name)) wrong[field] = ['is invalid'];
  }
  return wrong;
}

function wrongTexts(values: DistributionValues): FieldErrors {
  const wrong: FieldErrors = {};
  for (const field of TEXTS) {
    const value = values[field] ?? '';
    if (value.length > MAX_TEXT_LENGTH) wrong[field] = [TOO_LONG];
    else if (!LINE.test(value)) wrong[field] = ['is invalid'];
  }
  const { validTime } = values;
  if (validTime !== null && !(validTime >= VALID_TIME.min && validTime <= VALID_TIME.max))
    wrong.valid_time_duration_seconds = [`must be between ${VALID_TIME.min} and ${VALID_TIME.max}`];
  return wrong;
}

function wrongParts({ components, architectures }: DistributionValues): FieldErrors {
  const wrong: FieldErrors = {};
  for (const [field, parts] of Object.entries({ components, architectures })) {
    if (parts.length > MAX_PARTS) wrong[field] = [`can be at most ${MAX_PARTS}`];
    else if (!parts.every((part) => part.length <= MAX_TEXT_LENGTH && PART.test(part))) wrong[field] = ['is invalid'];
  }
  return wrong;
}

const TOO_LONG = `is too long (maximum is ${MAX_TEXT_LENGTH} characters)`;
