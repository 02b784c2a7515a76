import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { refusal } from '#rest/engine/errors.ts';
import { maskError } from '#schema/errors.ts';
import { objectTooLarge } from '#src/git/base/errors.ts';
import {
  CONDITIONS,
  type Condition,
  ContentTooLarge,
  DomainError,
  type ErrorCode,
  type ErrorReason,
  Forbidden,
  HTTP_STATUS,
  NotFound,
  Unauthenticated,
} from '#src/platform/errors.ts';

/** The code of each reason, and the status that v4 has for it. */
const REASONS: Record<ErrorReason, [ErrorCode, number]> = {
  explained: ['FORBIDDEN', 403],
  nobodyInvited: ['BAD_REQUEST', 400],
  valuesMissing: ['VALIDATION_FAILED', 400],
  incompleteIdentity: ['BAD_REQUEST', 400],
  labelOfOtherProject: ['BAD_REQUEST', 400],
  lineMissing: ['VALIDATION_FAILED', 400],
  notAnswerable: ['VALIDATION_FAILED', 400],
  nothingToChange: ['VALIDATION_FAILED', 400],
  listPositionOutOfRange: ['BAD_REQUEST', 400],
  jobNotPlayable: ['BAD_REQUEST', 400],
  hookFilterInvalid: ['BAD_REQUEST', 422],
  hookUrlInvalid: ['BAD_REQUEST', 422],
  hookUrlPrivate: ['BAD_REQUEST', 422],
  hookWithoutExample: ['BAD_REQUEST', 422],
  notBesideIssue: ['BAD_REQUEST', 422],
  tagProtected: ['FORBIDDEN', 403],
  changeConflicts: ['BAD_REQUEST', 400],
  changeEmpty: ['BAD_REQUEST', 400],
  rangeInvalid: ['BAD_REQUEST', 400],
  ruleInvalid: ['VALIDATION_FAILED', 422],
  sameBranch: ['BAD_REQUEST', 422],
  notAFork: ['BAD_REQUEST', 422],
  mergeForbidden: ['FORBIDDEN', 401],
  notApprovable: ['FORBIDDEN', 401],
  notMergeable: ['BAD_REQUEST', 405],
  withoutPipeline: ['BAD_REQUEST', 405],
  mergeConflict: ['BAD_REQUEST', 406],
  notWaitingForPipeline: ['BAD_REQUEST', 406],
  milestonesMissing: ['BAD_REQUEST', 400],
  artifactPathInvalid: ['BAD_REQUEST', 400],
  packageRefused: ['BAD_REQUEST', 400],
  pushRuleExists: ['BAD_REQUEST', 422],
  changelogFailed: ['BAD_REQUEST', 422],
  valueInvalid: ['BAD_REQUEST', 400],
  tokenNotOwn: ['NOT_FOUND', 401],
  accessTokenRefused: ['FORBIDDEN', 400],
  userStateRefused: ['FORBIDDEN', 403],
};

/** Sentences of the server's own, and any other one. */
const SENTENCES = [
  'Some sentence.',
  'Branch cannot be merged',
  'You are not allowed to do this.',
  'You are not allowed to merge into this branch',
  'You have approved the merge request already',
  'The credentials are missing or invalid.',
  'The merge request is not waiting for its pipeline',
  'Only a manual or delayed job that has not started can be played',
  'Issue not found',
  'Too large: no',
  'title is missing',
];

/** The first condition of the table with a code. */
function conditionOf(code: ErrorCode): Condition {
  const [condition] = Object.entries(CONDITIONS).find(([, row]) => row.code === code) ?? [];
  if (condition === undefined) throw new Error(`no condition has the code ${code}`);
  return condition as Condition;
}

describe('A refusal of the REST API', () => {
  it.each(Object.entries(REASONS))(
    'has the status of the reason %s, whatever the sentence',
    (reason, [code, status]) => {
      const answers = SENTENCES.map((message) => {
        const error = new DomainError(conditionOf(code), message, { fields: {} }, reason as ErrorReason);
        const { body, ...rest } = refusal(error) ?? {};
        return { ...rest, body: JSON.stringify(body).replaceAll(message, 'sentence') };
      });
      expect(answers[0]?.status).toBe(status);
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    },
  );

  it.each(Object.keys(HTTP_STATUS) as ErrorCode[])(
    'without a reason has the form of the code %s, whatever the sentence',
    (code) => {
      const answers = SENTENCES.map((message) => {
        const error = new DomainError(conditionOf(code), message, {
          fields: { title: ['is missing'] },
          resource: 'Branch',
        });
        return JSON.stringify(refusal(error)).replaceAll(message, 'sentence');
      });
      expect(new Set(answers).size).toBe(1);
    },
  );

  it('explains itself only where the error does', () => {
    const bodyOf = (error: DomainError) => refusal(error)?.body?.message;
    expect(bodyOf(new Forbidden())).toBe('403 Forbidden');
    expect(bodyOf(new Forbidden('Closed.'))).toBe('403 Forbidden  - Closed.');
    expect(bodyOf(new Unauthenticated())).toBe('401 Unauthorized');
    expect(bodyOf(new Unauthenticated('Expired.'))).toBe('401 Unauthorized. Expired.');
    expect(bodyOf(new NotFound('Branch'))).toBe('404 Branch Not Found');
    expect(bodyOf(new NotFound('Branch', 'No such branch'))).toBe('No such branch');
    expect(bodyOf(new ContentTooLarge('at most 5 bytes'))).toBe('413 Request Entity Too Large: at most 5 bytes');
  });

  it('keeps the reason on the way from the resolver, and GraphQL clients do not get it', () => {
    const cause = new DomainError('requestInvalid', 'Not now.', {}, 'notMergeable');
    for (const thrown of [cause, new GraphQLError(cause.message, { originalError: cause })]) {
      const masked = maskError(thrown, () => undefined);
      expect(refusal(masked)?.status).toBe(405);
      expect(JSON.parse(JSON.stringify(masked))).toEqual({ message: 'Not now.', extensions: { code: 'BAD_REQUEST' } });
    }
    const tooLarge = objectTooLarge(9, 5);
    const masked = maskError(new GraphQLError('', { originalError: tooLarge }), () => undefined);
    expect(refusal(masked)?.status).toBe(413);
  });
});
