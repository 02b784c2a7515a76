import { isFlagName } from '#src/domain/feature_flags/flag_name.ts';
import { areParameters, isStrategyName } from '#src/domain/feature_flags/strategies.ts';
import { wrongUserIds } from '#src/domain/feature_flags/user_ids.ts';
import { isExceptionPattern } from '#src/domain/packages/settings.ts';
import { scopeErrors } from '#src/domain/projects/environment_scope.ts';
import { isPushPattern } from '#src/domain/repository/push_rules/patterns.ts';
import { MAX_FILE_SIZE } from '#src/domain/repository/push_rules/save.ts';
import { MAX_APPROVALS } from '#src/domain/tracking/approvals/values.ts';
import { POSITION_TYPES, RANGE_TYPES } from '#src/domain/tracking/discussions/position.ts';
import { fileNameOf } from '#src/domain/uploads/create.ts';
import * as enums from '#src/generated/prisma/enums.ts';
import { isOid } from '#src/git/base/model.ts';
import { isValidBranchName } from '#src/git/refs/name.ts';
import { emojiNamed } from '#src/platform/emoji.ts';

/** Whether a column may have a value that is not null. `type` is that of the column in prisma/schema. */
export type Check = (value: unknown, type: string) => boolean | Promise<boolean>;

/** Characters of the longest texts, and of the longest names. */
const MAX_TEXT_LENGTH = 1_000_000;
const MAX_NAME_LENGTH = 255;
const MAX_URL_LENGTH = 2_000;

/** A text that the database can store. */
function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length <= longest && value.isWellFormed() && !value.includes('\0');
}

function isInteger(value: unknown, least = -(2 ** 31), most = 2 ** 31 - 1): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

function matches(pattern: RegExp, longest = MAX_NAME_LENGTH): Check {
  return (value) => isText(value, longest) && pattern.test(value);
}

function isTime(value: unknown): boolean {
  if (!isText(value, 40) || !/^\d{4}-\d\d-\d\dT/.test(value)) return false;
  const time = Date.parse(value);
  return !Number.isNaN(time) && time > Date.UTC(1970, 0, 1) - 1 && time < Date.UTC(10_000, 0, 1);
}

function isDay(value: unknown): boolean {
  return isText(value, 10) && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
}

function isAmong(...values: readonly unknown[]): Check {
  return (value) => values.includes(value);
}

/** An object that has these keys alone, and no others, each of which is null or has what it has to. */
function isObject(value: unknown, keys: Readonly<Record<string, (value: unknown) => boolean>>): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([key, one]) => Object.hasOwn(keys, key) && (one === null || keys[key]?.(one)));
}

const isLine = (value: unknown) => isInteger(value, 0);
const isPath = (value: unknown) => isText(value, 4_096);
const isSha = (value: unknown) => isText(value, 40) && isOid(value);

function isRangeEnd(value: unknown): boolean {
  const type = (one: unknown) => (RANGE_TYPES as readonly unknown[]).includes(one);
  return isObject(value, { lineCode: (one) => isText(one, 100), type, oldLine: isLine, newLine: isLine });
}

function isPosition(value: unknown): boolean {
  const type = (one: unknown) => (POSITION_TYPES as readonly unknown[]).includes(one);
  const range = (one: unknown) => isObject(one, { start: isRangeEnd, end: isRangeEnd }) && bothEnds(one);
  const keys = { baseSha: isSha, startSha: isSha, headSha: isSha, oldPath: isPath, newPath: isPath };
  const point = { width: isLine, height: isLine, x: isLine, y: isLine };
  if (!isObject(value, { ...keys, ...point, oldLine: isLine, newLine: isLine, positionType: type, lineRange: range })) {
    return false;
  }
  const given = value as Record<string, unknown>;
  return ['startSha', 'headSha', 'oldPath', 'newPath'].every((key) => given[key] != null);
}

function bothEnds(value: unknown): boolean {
  const { start, end } = value as { start?: unknown; end?: unknown };
  return start != null && end != null;
}

function isDiffLine(value: unknown): boolean {
  const keys = { type: (one: unknown) => isText(one, 20), oldLine: isLine, newLine: isLine };
  return isObject(value, { ...keys, text: (one) => isText(one, 2_000) }) && 'text' in (value as object);
}

function enumValues(type: string): readonly unknown[] {
  const found = (enums as unknown as Record<string, Readonly<Record<string, string>> | undefined>)[type];
  return Object.values(found ?? {});
}

/** What values of columns have to be. */
export const CHECKS = {
  boolean: (value) => typeof value === 'boolean',
  number: (value) => isInteger(value),
  iid: (value) => isInteger(value, 1),
  seconds: (value) => isInteger(value, 0),
  approvals: (value) => isInteger(value, 0, MAX_APPROVALS),
  fileMegabytes: (value) => isInteger(value, 0, MAX_FILE_SIZE),
  pushPattern: (value) => isText(value, MAX_NAME_LENGTH * 2 + 1) && isPushPattern(value),
  exceptionPattern: async (value) => isText(value, MAX_NAME_LENGTH) && (await isExceptionPattern(value, 'imports')),
  text: (value) => isText(value, MAX_TEXT_LENGTH),
  title: (value) => isText(value, MAX_NAME_LENGTH) && value !== '',
  name: (value) => isText(value, MAX_NAME_LENGTH) && value.trim() !== '',
  ruleType: isAmong('regular', 'any_approver'),
  word: matches(/^[a-z_]{1,40}$/),
  count: matches(/^\d{1,9}\+?$/),
  time: isTime,
  date: isDay,
  enum: (value, type) => enumValues(type).includes(value),
  color: matches(/^#[0-9a-f]{6}$/i),
  sha: isSha,
  hex: matches(/^[0-9a-f]{40,64}$/),
  branch: (value) => isText(value, MAX_NAME_LENGTH * 4) && isBranchOrPattern(value),
  path: isPath,
  source: isAmong('Issue', 'MergeRequest', 'Commit', 'Internal'),
  position: isPosition,
  diffLines: (value) => Array.isArray(value) && value.length <= 100 && value.every(isDiffLine),
  emoji: async (value) => isText(value, 100) && (await emojiNamed(value)) === value,
  releaseUrl: (value) => isUrl(value, ['http:', 'https:', 'ftp:']) && !/[\s"<>\\^`{|}]/.test(String(value)),
  badgeUrl: (value) => isUrl(value, ['http:', 'https:']),
  assetPath: matches(/^\/[\w+~@%-][\w.+~@%-]*(\/[\w+~@%-][\w.+~@%-]*)*$/, MAX_URL_LENGTH),
  protectionLevel: isAmong(0, 10, 15, 20, 30, 40, 60),
  memberLevel: isAmong(10, 20, 30, 40),
  groupLevel: isAmong(10, 20, 30, 40, 50),
  leftOut: isAmong('variable', 'webhook', 'integration', 'access_token', 'deploy_token', 'relation'),
  secret: matches(/^[0-9a-f]{32}$/),
  flagName: isFlagName,
  strategy: isStrategyName,
  strategyParameters: areParameters,
  environmentScope: (value) => isText(value, MAX_NAME_LENGTH) && scopeErrors(value).length === 0,
  userIds: (value) => wrongUserIds(value) === null,
  fileName: (value) => isText(value, MAX_NAME_LENGTH) && fileNameOf(value) === value,
} satisfies Record<string, Check>;

/** Whether it is an absolute address of one of these protocols; badges have placeholders. */
function isUrl(text: unknown, protocols: readonly string[]): boolean {
  if (!isText(text, MAX_URL_LENGTH) || !/^[a-z]+:\/\/[^\s/]/i.test(text)) return false;
  const plain = text.replace(/%\{\w+\}/g, 'x');
  return URL.canParse(plain) && protocols.includes(new URL(plain).protocol);
}

/** Rules may be patterns, in which stars stand for any characters. */
function isBranchOrPattern(name: string): boolean {
  return isValidBranchName(name.replaceAll('*', 'x'));
}
