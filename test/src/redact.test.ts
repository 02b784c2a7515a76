import { expect, it } from 'vitest';
import { redactUrl } from '#src/platform/observability/log.ts';

it.each([
  [
    '/api/v4/projects/1/trigger/pipeline?token=gtr-x&ref=master',
    '/api/v4/projects/1/trigger/pipeline?token=[redacted]&ref=master',
  ],
  ['/p?variables[KEY]=value&ref=a', '/p?variables[KEY]=[redacted]&ref=a'],
  ['/p?ref=a&variables%5BKEY%5D=value', '/p?ref=a&variables[KEY]=[redacted]'],
  ['/api/v4/projects/1/variables/KEY?value=v', '/api/v4/projects/1/variables/KEY?value=[redacted]'],
])('Neither the token of a trigger nor values for jobs reach a log: %s', (url, logged) => {
  expect(redactUrl(url)).toBe(logged);
});
