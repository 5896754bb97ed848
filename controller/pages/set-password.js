// Joins a company with an invitation, or sets a new password: which of the two says the path. The code is
// behind the # of the address, which browsers send to nobody.

const facts = new URLSearchParams(location.hash.slice(1))
const [company, email, code] = ['company', 'email', 'code'].map((name) => facts.get(name))
const isInvitation = location.pathname.startsWith('/invitation')
const element = (id) => document.getElementById(id)
const say = (id, text) => {
  element(id).textContent = text
}

const work = isInvitation
  ? {
      title: 'Join Temblor',
      intro: 'Choose a password. If you have a user here already, give its password.',
      button: 'Join',
      done: 'You have joined. Sign in with this address and password.',
      path: `/v1/companies/${encodeURIComponent(company ?? '')}/users`,
    }
  : {
      title: 'New password',
      intro: 'Choose a new password. You will be signed out everywhere.',
      button: 'Set password',
      done: 'The new password is set. Sign in with it.',
      path: '/v1/users/auth/password',
    }

async function send() {
  const password = element('password').value
  if (password !== element('repeated').value) return say('problem', 'The two passwords differ.')
  say('problem', '')
  element('send').disabled = true
  try {
    const answer = await fetch(work.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, code, password }),
    })
    if (!answer.ok) return say('problem', (await answer.json()).error.message)
    // The code is used up: it need not stay in the history.
    history.replaceState(null, '', location.pathname)
    element('form').hidden = true
    say('intro', work.done)
  } catch {
    say('problem', 'The server does not answer. Try again.')
  } finally {
    element('send').disabled = false
  }
}

say('title', work.title)
if (email && code && (company || !isInvitation)) {
  say('intro', work.intro)
  say('send', work.button)
  element('email').value = email
  element('form').hidden = false
  element('form').addEventListener('submit', (event) => {
    event.preventDefault()
    void send()
  })
} else say('intro', 'This link is not whole. Copy all of it from where you got it.')
