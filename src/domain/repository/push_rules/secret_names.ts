/**
 * Names under which programs keep keys and passwords, at the end of a path: of private keys of SSH, of certificates, and of the files in
 * which clients of clouds, databases and registries, and shells, write what they were told.
 */
export const SECRET_NAMES =
  '(^|/)(' +
  [
    '(.*[_.-])?id_(rsa|dsa|ecdsa|ed25519)(_sk)?',
    '[^/]*_(rsa|dsa|ecdsa|ed25519)',
    '[^/]*\\.(pem|key|p12|pfx|ppk|jks|keystore)',
    '\\.aws/credentials',
    '\\.?(pgpass|my\\.cnf|netrc|pypirc|dockercfg|s3cfg|htpasswd)',
    '\\.docker/config\\.json',
    '[^/]*\\.history',
    '\\.[^/]*_history',
    '\\.?gem/credentials',
  ].join('|') +
  ')$';
