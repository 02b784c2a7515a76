import { describe, expect, it } from 'vitest';
import { signatureHeaders } from '#src/domain/webhooks/sign.ts';
import { isBlocked, parseHookUrl } from '#src/platform/outbound/hook_url.ts';

describe('The signature of a webhook', () => {
  it('is that of the example of Standard Webhooks', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const told = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: 1614265330, body: '{"test": 2432232314}' };
    expect(signatureHeaders(secret, told)).toEqual({
      'webhook-id': told.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is left out without a secret', () => {
    expect(Object.keys(signatureHeaders(null, { id: 'a', at: 1, body: '{}' }))).toEqual([
      'webhook-id',
      'webhook-timestamp',
    ]);
  });
});

describe('The URL of a webhook', () => {
  it.each([
    'http://example.org',
    'https://user:pass@example.org:8443/a?b=c#d',
    'HTTPS://EXAMPLE.ORG/',
    'http://[2606:4700::1111]/',
  ])('may be %s', (text) => {
    const url = parseHookUrl(text);
    expect(url && isBlocked(url, [])).toBe(false);
  });

  it.each([
    'http://127.1/',
    'http://2130706433/',
    'http://[::ffff:10.0.0.1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://localhost./',
    'http://a.localhost/',
    'http://[fd00::1]/',
  ])('is blocked where it plainly leads into a private network: %s', (text) => {
    const url = parseHookUrl(text);
    expect(url && isBlocked(url, [])).toBe(true);
  });

  it('may lead into a private network where the server names the host', () => {
    const url = parseHookUrl('http://10.0.0.5:8080/') as URL;
    expect([isBlocked(url, ['10.0.0.5:8080']), isBlocked(url, ['10.0.0.5:80'])]).toEqual([false, true]);
  });
});
