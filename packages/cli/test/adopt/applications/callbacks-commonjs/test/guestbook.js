var assert = require('assert');
var mongoose = require('mongoose');
var request = require('supertest');
var app = require('../app');

describe('guestbook', function () {
  var agent = request.agent(app);

  before(function (done) {
    mongoose.connect(process.env.MONGO_URL, { dbName: 'guestbook_test' }).then(function () {
      return mongoose.connection.dropDatabase();
    }).then(function () {
      done();
    }, done);
  });

  it('has a page', function (done) {
    request(app).get('/').expect(200, /Guestbook/, done);
  });

  it('registers with a form', function (done) {
    agent.post('/register').type('form').send({ email: 'ada@example.org', nickname: 'ada', password: 'correct horse' })
      .expect(302).expect('location', '/me', done);
  });

  it('logs in with a session', function (done) {
    request(app).post('/login').send({ email: 'ada@example.org', password: 'wrong' }).expect(401, function (err) {
      if (err) return done(err);
      agent.post('/login').send({ email: 'Ada@example.org', password: 'correct horse' }).expect(302, done);
    });
  });

  it('takes messages of members', function (done) {
    agent.post('/messages').send({ text: 'hello' }).expect(201, function (err, res) {
      if (err) return done(err);
      assert.strictEqual(res.body.text, 'hello');
      request(app).post('/messages').send({ text: 'hello' }).expect(401, done);
    });
  });

  it('has an error of its own', function (done) {
    request(app).get('/nowhere').expect(404, { error: 'Not Found: /nowhere' }, done);
  });
});
