import { expect, test } from 'vitest'
import { programWords } from './session-words.ts'

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36 Edg/131.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari on iOS',
  ],
  [
    'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  ['temblor/0.1.0', 'temblor'],
  ['python-requests/2.31', 'python-requests'],
  ['<script>alert(1)</script>', '<script>alert'],
  ['/', 'an unknown program'],
  ['', 'an unknown program'],
  [null, 'an unknown program'],
])('%s is %s', (userAgent, words) => expect(programWords(userAgent)).toBe(words))
